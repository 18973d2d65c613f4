import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import type { SandboxEvent } from '../../protocol/sandbox/events.ts';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import type { ProcessEvent } from '../../protocol/sandbox/processes.ts';
import type { ArchivePiece, ArchiveReader } from '../../protocol/sandbox/transfer.ts';
import { Archive } from '../../sdk/archive.ts';
import { connectionDouble } from '../../test/fixtures/connection-double.ts';
import { EchoStream } from '../../test/fixtures/echo-stream.ts';
import { ScriptedImport, sampleId, sampleSnapshot } from '../../test/fixtures/wire-backend.ts';
import { plainExit, ScriptedProcess, scriptedConnection } from '../../test/sdk/scripted-connection.ts';
import { CrashGuard } from './crash-guard.ts';
import { exposeConnection } from './expose-backend.ts';
import { remotePortConnection } from './remote-backend.ts';

describe('a connection over a port', () => {
  let process: ScriptedProcess;
  let guard: CrashGuard;
  let remote: SandboxConnection;
  let near: MessagePort;
  let far: MessagePort;
  let stopped: number;
  let givenUp: number;
  let pieces: ArchivePiece[];
  let archiveClosed: number;
  let exportClosed: number;
  let served: ScriptedImport<SnapshotInfo>;
  let echo: EchoStream;
  const archive: ArchiveReader = {
    read: async () => pieces.shift(),
    close: async () => void archiveClosed++,
  };

  beforeEach(() => {
    process = new ScriptedProcess();
    guard = new CrashGuard();
    stopped = 0;
    givenUp = 0;
    archiveClosed = 0;
    exportClosed = 0;
    pieces = [
      { bytes: Uint8Array.from([1, 2]), missing: [] },
      { bytes: new Uint8Array(0), missing: ['/usr/'] },
      { bytes: Uint8Array.from([3]), missing: ['/etc/a'] },
    ];
    served = new ScriptedImport(sampleSnapshot);
    echo = new EchoStream();
    const connection = connectionDouble({
      processes: scriptedConnection(process).processes,
      info: {
        get: () => Promise.reject(new SandboxError('not-found', 'gone', { details: { id: 'x' } })),
      },
      events: {
        subscribe: async (_ask, listener) => {
          listener({ type: 'ready', seq: 1 });
          return () => void stopped++;
        },
      },
      network: { connect: async () => echo },
      git: {
        clone: async ({ url, signal }, onProgress) => {
          onProgress({ stage: 'git', doneBytes: 0, totalBytes: 0, elapsedMs: 0, text: url });
          await new Promise((resolve) => signal?.addEventListener('abort', resolve));
          givenUp++;
          throw new SandboxError('aborted', 'given up');
        },
      },
      transfer: {
        exportTar: async () => archive,
        openExport: async () => ({
          read: async () => ({ bytes: Uint8Array.of(1, 2) }),
          close: async () => void exportClosed++,
        }),
        openImport: async () => served,
      },
    });
    ({ port1: near, port2: far } = new MessageChannel());
    exposeConnection(connection, far);
    remote = remotePortConnection(near, guard);
  });
  afterEach(() => {
    near.close();
    far.close();
  });

  async function start(): Promise<ProcessEvent[]> {
    const events: ProcessEvent[] = [];
    const handle = await remote.processes.exec({ command: 'x' }, (event) => void events.push(event));
    expect(handle.pid).toBe(7);
    return events;
  }

  test('errors keep their code and details', async () => {
    await expect(remote.info.get()).rejects.toMatchObject({ code: 'not-found', details: { id: 'x' } });
  });

  test('H-8 a process ends when the connection is lost, once', async () => {
    const lost = await start();
    guard.crash(new SandboxError('connection-lost', 'The worker died'));
    guard.crash(new SandboxError('connection-lost', 'again'));
    expect(lost).toMatchObject([{ type: 'exit', exitCode: -1, reason: 'machine-failed' }]);
  });

  test('a process that has ended does not end again', async () => {
    const events = await start();
    await process.emit(plainExit);
    guard.crash(new SandboxError('connection-lost', 'The worker died'));
    expect(events).toEqual([plainExit]);
  });

  test('H-8 what a page held is let go of when the page is gone', async () => {
    const seen: SandboxEvent[] = [];
    await start();
    await remote.events.subscribe({ after: 0 }, (event) => void seen.push(event));
    await expect.poll(() => seen).toEqual([{ type: 'ready', seq: 1 }]);
    await (await remote.transfer.exportTar({ at: 'now' })).close();
    await (await remote.transfer.exportTar({ at: 'now' })).read();
    near.close();
    await expect.poll(() => process.asked).toEqual(['kill SIGKILL']);
    // The archive that was closed already is not closed again.
    expect([stopped, archiveClosed]).toEqual([1, 2]);
  });

  test('I-3 H-8 git tells of progress, and is given up by a signal and when the page is gone', async () => {
    const giveUp = new AbortController();
    const told: (string | undefined)[] = [];
    const ask = { url: 'https://a.test/', directory: '/a' };
    const cloning = remote.git.clone({ ...ask, signal: giveUp.signal }, ({ text }) => {
      told.push(text);
      giveUp.abort();
    });
    await expect(cloning).rejects.toMatchObject({ code: 'aborted' });
    expect([told, givenUp]).toEqual([['https://a.test/'], 1]);
    const begun = Promise.withResolvers<void>();
    remote.git.clone(ask, () => begun.resolve()).catch(() => undefined);
    await begun.promise;
    near.close();
    await expect.poll(() => givenUp).toBe(2);
  });

  test('B-10 an archive is read piece by piece, and no piece is made before it is asked for', async () => {
    const archive = new Archive(await remote.transfer.exportTar({ at: 'now' }));
    const read: number[][] = [];
    for await (const bytes of archive) {
      read.push([...bytes]);
      expect(pieces.length).toBe(read.length === 1 ? 2 : 0);
    }
    expect(read).toEqual([[1, 2], [3]]);
    expect([archive.missing, archive.missingCount]).toEqual([['/usr/', '/etc/a'], 2]);
    expect(archiveClosed).toBe(1);
  });

  test('B-10 an archive that is left is let go of, and one whose worker dies fails', async () => {
    for await (const bytes of new Archive(await remote.transfer.exportTar({ at: 'now' })))
      if (bytes.length > 0) break;
    expect([archiveClosed, pieces.length]).toEqual([1, 2]);
    const closed = await remote.transfer.exportTar({ at: 'now' });
    await closed.close();
    await expect(closed.read()).rejects.toMatchObject({ code: 'connection-lost' });
    const lost = await remote.transfer.exportTar({ at: 'now' });
    guard.crash(new SandboxError('connection-lost', 'The worker died'));
    await expect(lost.read()).rejects.toMatchObject({ code: 'connection-lost' });
  });

  test('a byte stream goes both ways, and with the page; one that is closed is used no more', async () => {
    const stream = await remote.network.connect({ port: 80 });
    const writing = stream.write(Uint8Array.of(1, 2));
    expect(await stream.read()).toEqual(Uint8Array.of(1, 2));
    await writing;
    await stream.end();
    expect(await stream.read()).toBeUndefined();
    await stream.close();
    expect(echo.isClosed).toBe(true);
    await expect(stream.read()).rejects.toMatchObject({ code: 'connection-lost' });
    echo = new EchoStream();
    const reading = expect((await remote.network.connect({ port: 80 })).read()).rejects.toMatchObject({
      code: 'connection-lost',
    });
    near.close();
    await expect.poll(() => echo.isClosed).toBe(true);
    guard.crash(new SandboxError('connection-lost', 'The page is gone'));
    await reading;
  });

  test('X-1 an export and an import go over the port, and go with the page', async () => {
    const snapshotExport = await remote.transfer.openExport({ id: sampleId('a'), have: [sampleId('b')] });
    const first = await snapshotExport.read();
    expect(first?.bytes).toEqual(Uint8Array.from([1, 2]));
    const snapshotImport = await remote.transfer.openImport();
    const whole = Uint8Array.from([1, 2, 3]);
    await snapshotImport.write(whole);
    // All of a buffer is handed over; a part of one is copied.
    expect(whole.length).toBe(0);
    const part = new Uint8Array(8).subarray(2, 4);
    await snapshotImport.write(part);
    expect([part.length, served.written]).toEqual([2, [3, 2]]);
    expect(await snapshotImport.finish()).toEqual(sampleSnapshot);
    await snapshotImport.close();
    await expect(snapshotImport.write(part)).rejects.toMatchObject({ code: 'connection-lost' });
    expect(served.isClosed).toBe(true);

    served = new ScriptedImport(sampleSnapshot);
    const left = await remote.transfer.openImport();
    await left.write(part);
    near.close();
    await expect.poll(() => [served.isClosed, exportClosed]).toEqual([true, 1]);
  });

  test('unsubscribing twice, or closing twice, is the same as once', async () => {
    const stop = await remote.events.subscribe({ after: 0 }, () => undefined);
    stop();
    stop();
    await expect.poll(() => stopped).toBe(1);
    expect(remote.close()).toBe(remote.close());
    await remote.close();
  });
});

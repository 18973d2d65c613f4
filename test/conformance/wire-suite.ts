import { describe, expect, test } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { Progress } from '../../protocol/sandbox/progress.ts';
import type { ArchivePiece } from '../../protocol/sandbox/transfer.ts';
import {
  plainExit,
  sampleCheckpoints,
  sampleFile,
  sampleId,
  sampleImage,
  sampleInfo,
  sampleReport,
  sampleShell,
  sampleSnapshot,
} from '../fixtures/wire-backend.ts';
import { lastProcess, openTestWire } from '../fixtures/wire-session.ts';
import type { TransportPairs } from '../fixtures/wire-transports.ts';

/** What a client of `openWire` and a server of `serveWire` do over any transport, but for streams and resuming. */
export function wireSuite(name: string, open: () => Promise<TransportPairs>): void {
  describe(`wire over ${name}`, () => {
    test('WP-9 every method of a backend arrives with its arguments, and its answer comes back', async () => {
      const { remote, backend } = await openTestWire(open);
      const from = { sandbox: 'elm', snapshot: sampleId('e') };
      const limits = {
        memoryMiB: 128,
        diskMiB: 64,
        cpuShares: 2,
        pids: 16,
        cpus: 0.5,
        ioMiBps: 20,
        network: 'full',
        allow: ['pypi.org:443'],
      } as const;
      await remote.create({ image: 'debian', name: 'é', ...limits, nested: true, from }, () => {});
      await remote.create({}, () => {});
      await remote.open({ id: 'oak', readOnly: true }, () => {});
      await remote.connect({ id: 'oak' });
      expect(await remote.list()).toEqual([sampleInfo]);
      expect(await remote.images?.()).toEqual([sampleImage]);
      await remote.delete({ id: 'oak' });
      expect(backend.asked).toEqual([
        `create({"image":"debian","name":"é","memoryMiB":128,"diskMiB":64,"cpuShares":2,"pids":16,"cpus":0.5,"ioMiBps":20,"network":"full","allow":["pypi.org:443"],"nested":true,"from":{"sandbox":"elm","snapshot":"${sampleId('e')}"}})`,
        'create()',
        'open({"id":"oak","readOnly":true})',
        'connect({"id":"oak"})',
        'list()',
        'images()',
        'delete({"id":"oak"})',
      ]);
    });

    test('WP-9 every method of a connection arrives with its arguments, and its answer comes back', async () => {
      const { backend, open: openSandbox } = await openTestWire(open);
      const { connection, scripted } = await openSandbox();
      backend.asked.length = 0;
      const [a, d] = [sampleId('a'), sampleId('d')];
      expect(await connection.info.get()).toEqual(sampleInfo);
      expect(await connection.files.read({ path: '/x' })).toEqual(Uint8Array.of(1, 2, 3));
      await connection.files.write({ path: '/y', bytes: Uint8Array.of(9), mode: 0o600 });
      expect(scripted.content).toEqual(Uint8Array.of(9));
      await connection.files.write({ path: '/z', bytes: new Uint8Array(0) });
      expect(await connection.files.read({ path: '/z', at: a })).toEqual(new Uint8Array(0));
      expect(await connection.files.list({ path: '/', at: 'now' })).toEqual([
        sampleFile,
        { ...sampleFile, target: undefined },
      ]);
      expect(await connection.files.stat({ path: '/\ud800' })).toEqual(sampleFile);
      await connection.files.makeDirectory({ path: '/m' });
      await connection.files.remove({ path: '/r' });
      await connection.files.rename({ from: '/f', to: '/t' });
      await connection.files.copy({ from: '/t', to: '/c' });
      expect(await connection.history.get()).toEqual({
        snapshots: [sampleSnapshot],
        head: sampleSnapshot.id,
        pending: { created: 0, modified: 0, deleted: 0, paths: [] },
      });
      const named = { label: 'l', ifChanged: true };
      expect(await connection.history.createSnapshot(named)).toEqual(sampleSnapshot);
      expect(await connection.history.createSnapshot()).toEqual(sampleSnapshot);
      expect(await connection.history.checkout({ id: a, discard: true })).toEqual({
        head: a,
        previousHead: d,
      });
      expect(await connection.history.fork({ id: a, name: 'n' })).toEqual(sampleInfo);
      expect(await connection.checkpoints.list()).toEqual(sampleCheckpoints);
      await connection.checkpoints.configure({ perSecond: 20 });
      expect(await connection.checkpoints.terminalOutput({ checkpoint: 2, pid: 42 })).toEqual(
        new Uint8Array(0),
      );
      expect(await connection.checkpoints.restore({ id: 2 })).toEqual({
        head: sampleSnapshot.id,
        previous: 8,
      });
      expect(await connection.history.diff({ from: a, to: 'now' })).toHaveLength(2);
      await connection.history.setTag({ name: 't', id: a });
      await connection.history.setTag({ name: 't', id: undefined });
      await connection.history.deleteSnapshot({ id: a });
      expect(await connection.history.collectGarbage()).toBe(12_345);
      expect(await connection.info.storage()).toMatchObject({
        backend: 'memory',
        stopped: { code: 'storage-full' },
      });
      const { flows, forgotten } = await connection.network.log();
      expect([flows.map(({ id, type, verdict }) => [id, type, verdict]), forgotten]).toEqual([
        [
          [2, 'question', 'denied'],
          [3, 'connection', 'allowed'],
        ],
        1,
      ]);
      expect(await connection.shells.open({ cwd: '/é', envs: { A: 'b' }, user: 'root' })).toEqual(
        sampleShell,
      );
      expect(await connection.shells.list()).toEqual([sampleShell]);
      expect(await connection.shells.save({ id: 's' })).toEqual(new Uint8Array(0));
      expect(await connection.shells.restore({ bytes: Uint8Array.of(1, 2, 3) })).toEqual(sampleShell);
      await connection.shells.close({ id: 's' });
      expect(await connection.info.report()).toEqual(sampleReport);
      await connection.close();
      expect(scripted.isClosed).toBe(true);
      expect(backend.asked).toEqual([
        'info.get()',
        'files.read({"path":"/x"})',
        'files.write({"path":"/y","mode":384,"bytes":"1 bytes"})',
        'files.write({"path":"/z","bytes":"0 bytes"})',
        `files.read({"path":"/z","at":"${a}"})`,
        'files.list({"path":"/","at":"now"})',
        'files.stat({"path":"/\\ud800"})',
        'files.makeDirectory({"path":"/m"})',
        'files.remove({"path":"/r"})',
        'files.rename({"from":"/f","to":"/t"})',
        'files.copy({"from":"/t","to":"/c"})',
        'history.get()',
        'history.createSnapshot({"label":"l","ifChanged":true})',
        'history.createSnapshot()',
        `history.checkout({"id":"${a}","discard":true})`,
        `history.fork({"id":"${a}","name":"n"})`,
        'checkpoints.list()',
        'checkpoints.configure({"perSecond":20})',
        'checkpoints.terminalOutput({"checkpoint":2,"pid":42})',
        'checkpoints.restore({"id":2})',
        `history.diff({"from":"${a}","to":"now"})`,
        `history.setTag({"name":"t","id":"${a}"})`,
        'history.setTag({"name":"t"})',
        `history.deleteSnapshot({"id":"${a}"})`,
        'history.collectGarbage()',
        'info.storage()',
        'network.log()',
        'shells.open({"cwd":"/é","envs":{"A":"b"},"user":"root"})',
        'shells.list()',
        'shells.save({"id":"s"})',
        'shells.restore({"bytes":"3 bytes"})',
        'shells.close({"id":"s"})',
        'info.report()',
      ]);
    });

    test('WP-11 WP-12 git tells of progress until it answers, and is given up', async () => {
      const { backend, open: openSandbox } = await openTestWire(open);
      const { connection } = await openSandbox();
      const { git } = connection;
      const told: (string | undefined)[] = [];
      const ask = { url: 'https://a.test/', directory: '/a', depth: 1 };
      expect(await git.clone(ask, ({ text }) => told.push(text))).toEqual({ head: 'c0ffee', branch: 'main' });
      expect(told).toEqual(['Cloning https://a.test/']);
      const giveUp = new AbortController();
      const hanging = git.clone({ ...ask, url: 'https://hangs.test/', signal: giveUp.signal }, () =>
        giveUp.abort(),
      );
      await expect(hanging).rejects.toMatchObject({ code: 'aborted' });
      expect(backend.asked).toContain('git.clone aborted()');
      expect(await git.status({ directory: '/a' })).toEqual({
        branch: 'main',
        files: [{ path: 'é', staged: 'added', unstaged: 'unchanged' }],
        more: 0,
      });
    });

    test('WP-9 a process takes its input in order and gives its output, its exit and its pid', async () => {
      const { open: openSandbox } = await openTestWire(open);
      const { connection, scripted } = await openSandbox();
      const events: unknown[] = [];
      const exited = Promise.withResolvers<void>();
      const request = {
        command: ['cat', '-'],
        cwd: '/tmp',
        envs: { A: '1', constructor: '2' },
        user: 'root',
        pty: { columns: 80, rows: 25 },
        stdin: true,
      } as const;
      const handle = await connection.processes.exec(request, (event) => {
        events.push(event);
        if (event.type === 'exit') exited.resolve();
      });
      expect(handle.pid).toBe(42);
      const process = lastProcess(scripted);
      const long = handle.write(new Uint8Array(150_000).fill(1));
      const short = handle.write(Uint8Array.of(2));
      await Promise.all([long, short, handle.closeStdin(), handle.resize({ columns: 100, rows: 30 })]);
      await process.emit({ type: 'stdout', bytes: Uint8Array.of(1) });
      await process.emit({ type: 'stderr', bytes: Uint8Array.of(2) });
      await process.emit({ type: 'stdout', bytes: new Uint8Array(0) });
      await handle.kill('SIGTERM');
      await exited.promise;
      expect(process.asked.filter((each) => !each.startsWith('resize'))).toEqual([
        'write 49152 1',
        'write 49152 1',
        'write 49152 1',
        'write 2544 1',
        'write 1 2',
        'closeStdin',
        'kill SIGTERM',
      ]);
      expect(events).toEqual([
        { type: 'stdout', bytes: Uint8Array.of(1) },
        { type: 'stderr', bytes: Uint8Array.of(2) },
        { type: 'stdout', bytes: new Uint8Array(0) },
        { ...plainExit, exitCode: 137, signal: 'SIGTERM', reason: 'killed', limit: 'of-a-newer-peer' },
      ]);
      await expect(handle.write(Uint8Array.of(1))).rejects.toMatchObject({ code: 'not-found' });
      await handle.kill();
    });

    test('WP-9 a process that ends before its start is answered, and one that does not start', async () => {
      const { open: openSandbox } = await openTestWire(open);
      const { connection } = await openSandbox();
      const types: string[] = [];
      const handle = await connection.processes.exec(
        { command: 'true' },
        ({ type }) => void types.push(type),
      );
      expect([handle.pid, types]).toEqual([42, ['exit']]);
      await expect(connection.processes.exec({ command: 'nothing' }, () => {})).rejects.toMatchObject({
        code: 'not-found',
      });
    });

    test('WP-10 an error arrives with its code, text and details, and without stack or cause', async () => {
      const { remote } = await openTestWire(open);
      const error = await remote.connect({ id: 'missing' }).catch((each: unknown) => each);
      expect(error).toBeInstanceOf(SandboxError);
      expect(error).toMatchObject({
        code: 'not-found',
        message: 'Cannot open "missing"',
        details: { sandbox: 'missing', where: { nested: [1, null, 'x'] } },
      });
      expect((error as SandboxError).cause).toBeUndefined();
    });

    test('WP-8 content far larger than a message arrives whole, both ways, while other calls go on', async () => {
      const { open: openSandbox } = await openTestWire(open);
      const { connection, scripted } = await openSandbox();
      const content = new Uint8Array(9_000_001).map((_, index) => (index * 7) % 251);
      const writing = connection.files.write({ path: '/big', bytes: content });
      expect(await connection.info.get()).toEqual(sampleInfo);
      await writing;
      expect(Buffer.compare(scripted.content, content)).toBe(0);
      const reading = connection.files.read({ path: '/big' });
      expect(await connection.info.get()).toEqual(sampleInfo);
      expect(Buffer.compare(await reading, content)).toBe(0);
    });

    test('WP-11 progress comes before the connection that it is about', async () => {
      const { remote, backend } = await openTestWire(open);
      backend.starting = async (_, onProgress) => {
        for (const doneBytes of [1, 2, 3]) {
          onProgress({ stage: 'boot', doneBytes, totalBytes: 3, elapsedMs: 0.5 });
          await Promise.resolve();
        }
      };
      const told: Progress[] = [];
      await remote.open({ id: 'oak' }, (progress) => told.push(progress));
      expect(told.map(({ doneBytes }) => doneBytes)).toEqual([1, 2, 3]);
    });

    test('WP-12 H-8 an abort reaches the start that is under way', async () => {
      const { remote, backend } = await openTestWire(open);
      const began = Promise.withResolvers<void>();
      backend.starting = ({ signal }) => {
        began.resolve();
        return new Promise((_, reject) =>
          signal?.addEventListener('abort', () => reject(new SandboxError('aborted', 'given up'))),
        );
      };
      const abort = new AbortController();
      const opening = remote.create({ signal: abort.signal }, () => {});
      await began.promise;
      abort.abort('enough');
      await expect(opening).rejects.toMatchObject({ code: 'aborted', cause: 'enough' });
      expect(backend.connections).toEqual([]);
      const late = remote.create({ signal: abort.signal }, () => {});
      await expect(late).rejects.toMatchObject({ code: 'aborted' });
    });

    test('WP-9 an archive is read piece by piece, to its end or to its failure', async () => {
      const { remote, backend, open: openSandbox } = await openTestWire(open);
      const reader = await remote.exportTar({ id: 'oak', at: sampleId('a') });
      const pieces: (ArchivePiece | undefined)[] = [];
      do pieces.push(await reader.read());
      while (pieces.at(-1));
      expect(pieces.map((piece) => piece && [piece.bytes.length, piece.bytes.at(-1), piece.missing])).toEqual(
        [[10, 1, ['/missing/1']], [1_048_576, 2, ['/missing/2']], [0, undefined, ['/missing/3']], undefined],
      );
      expect(await reader.read()).toBeUndefined();
      await reader.close();
      expect(backend.archives[0]?.isClosed).toBe(true);

      const { connection } = await openSandbox();
      const other = await connection.transfer.exportTar({ at: 'now', path: '/home' });
      await other.close();
      await other.close();
      expect(backend.archives[1]?.isClosed).toBe(true);
      expect(backend.asked.filter((each) => each.includes('exportTar'))).toEqual([
        `exportTar({"id":"oak","at":"${sampleId('a')}"})`,
        'transfer.exportTar({"at":"now","path":"/home"})',
      ]);
    });

    test('WP-9 an archive that cannot be read on rejects with why', async () => {
      const { remote, backend } = await openTestWire(open);
      const archive = backend.archive();
      archive.failure = new SandboxError('corrupt-object', 'Cannot read', { details: { id: 'x' } });
      backend.archive = () => archive;
      const reader = await remote.exportTar({ id: 'oak' });
      await expect(reader.read()).rejects.toMatchObject({ code: 'corrupt-object', details: { id: 'x' } });
      await reader.close();
      expect(archive.isClosed).toBe(true);
    });

    test('WP-17 an export is read as an archive is, and an import takes what is written until it is finished', async () => {
      const { remote, backend, open: openSandbox } = await openTestWire(open);
      const { connection } = await openSandbox();
      const snapshotExport = await connection.transfer.openExport({
        id: sampleId('a'),
        have: [sampleId('b')],
      });
      const options = { imageDigest: '1'.repeat(64), name: 'é', memoryMiB: 128, diskMiB: 64 };
      const snapshotImport = await remote.openImport(options);
      for (let piece = await snapshotExport.read(); piece; piece = await snapshotExport.read())
        await snapshotImport.write(piece.bytes);
      await snapshotExport.close();
      expect(await snapshotImport.finish()).toEqual(sampleInfo);
      await snapshotImport.close();
      const [taken] = backend.imports;
      expect([taken?.written, taken?.isFinished, taken?.isClosed]).toEqual([[10, 1_048_576, 0], true, true]);
      expect(backend.archives[0]?.isClosed).toBe(true);
      await expect(snapshotImport.write(Uint8Array.of(1))).rejects.toMatchObject({ code: 'connection-lost' });
      const other = await connection.transfer.openImport();
      await other.write(Uint8Array.of(1));
      expect(await other.finish()).toEqual(sampleSnapshot);
      expect(backend.asked.slice(-3)).toEqual([
        `transfer.openExport({"id":"${sampleId('a')}","have":["${sampleId('b')}"]})`,
        `openImport(${JSON.stringify(options)})`,
        'transfer.openImport()',
      ]);
    });

    test('WP-17 H-8 an import that refuses says why; one that is not finished goes with its client', async () => {
      const { remote, backend } = await openTestWire(open);
      const options = { imageDigest: '1'.repeat(64), name: 'n', memoryMiB: 128, diskMiB: 64 };
      const [refused, failed, left] = [
        await remote.openImport(options),
        await remote.openImport(options),
        await remote.openImport(options),
      ];
      for (const each of backend.imports.slice(0, 2)) each.failure = new SandboxError('corrupt-object', 'no');
      await expect(refused.write(Uint8Array.of(1))).rejects.toMatchObject({ code: 'corrupt-object' });
      await refused.close();
      await refused.close();
      await expect(failed.finish()).rejects.toMatchObject({ code: 'corrupt-object' });
      await left.write(Uint8Array.of(1));
      expect(backend.imports.map(({ isClosed }) => isClosed)).toEqual([true, true, false]);
      const digest = { ...options, imageDigest: '../../etc/passwd' };
      await expect(remote.openImport(digest)).rejects.toMatchObject({ code: 'invalid-argument' });
      await remote.close();
      expect(backend.imports.map(({ isClosed }) => isClosed)).toEqual([true, true, true]);
    });

    test('WP-9 a subscription tells of every event until it is stopped', async () => {
      const { backend, open: openSandbox } = await openTestWire(open);
      const { connection, scripted } = await openSandbox();
      const seen = Promise.withResolvers<void>();
      const events: unknown[] = [];
      const stop = await connection.events.subscribe({ after: 7 }, (event) => {
        events.push(event);
        if (event.type === 'closed') seen.resolve();
      });
      const told = [
        { seq: 8, type: 'snapshot', snapshot: sampleSnapshot, head: sampleSnapshot.id },
        { seq: 9, type: 'machine-failed', error: { code: 'machine-failed', message: 'm', details: {} } },
        { seq: 10, type: 'closed' },
      ] as const;
      for (const event of told) for (const listener of scripted.listeners) listener(event);
      await seen.promise;
      expect(events).toEqual(told);
      stop();
      stop();
      await connection.info.get();
      expect(scripted.listeners.size).toBe(0);
      expect(backend.asked).toContain('events.subscribe({"after":7})');
    });

    test('H-8 closing a connection lets go of what was made through it; then it rejects', async () => {
      const { open: openSandbox } = await openTestWire(open);
      const { connection, scripted } = await openSandbox();
      await connection.processes.exec({ command: 'sleep' }, () => {});
      await connection.events.subscribe({ after: 0 }, () => {});
      await connection.close();
      expect([scripted.isClosed, lastProcess(scripted).isKilled, scripted.listeners.size]).toEqual([
        true,
        true,
        0,
      ]);
      await expect(connection.info.get()).rejects.toMatchObject({ code: 'connection-lost' });
      await connection.close();
    });

    test('H-8 when the client says goodbye, everything is let go of by then', async () => {
      const { remote, served, backend, sessions, open: openSandbox } = await openTestWire(open);
      const { connection, scripted } = await openSandbox();
      const ended = Promise.withResolvers<unknown>();
      await connection.processes.exec({ command: 'sleep' }, ended.resolve);
      backend.archive().pieces = [];
      const reader = await connection.transfer.exportTar({ at: 'now' });
      await remote.close();
      expect([scripted.isClosed, lastProcess(scripted).isKilled]).toEqual([true, true]);
      expect(backend.archives.at(-1)?.isClosed).toBe(true);
      expect(await served[0]?.ended).toBeUndefined();
      expect(sessions.size).toBe(0);
      expect(await ended.promise).toMatchObject({ type: 'exit' });
      await expect(connection.info.get()).rejects.toMatchObject({ code: 'connection-lost' });
      await expect(remote.list()).rejects.toMatchObject({ code: 'connection-lost' });
      await reader.close().catch(() => undefined);
    });

    test('H-8 a client that is gone for good loses what it held; a start under way ends', async () => {
      const {
        remote,
        vanish,
        served,
        backend,
        open: openSandbox,
      } = await openTestWire(open, { resumable: false });
      const { connection, scripted } = await openSandbox();
      await connection.processes.exec({ command: 'sleep' }, () => {});
      const began = Promise.withResolvers<AbortSignal | undefined>();
      const gate = Promise.withResolvers<void>();
      backend.starting = ({ signal }) => {
        began.resolve(signal);
        return gate.promise;
      };
      remote.create({}, () => {}).catch(() => undefined);
      const signal = await began.promise;
      vanish();
      expect(await served[0]?.ended).toMatchObject({ code: 'connection-lost' });
      expect([scripted.isClosed, lastProcess(scripted).isKilled, signal?.aborted]).toEqual([
        true,
        true,
        true,
      ]);
      gate.resolve();
      await expect.poll(() => backend.connections.at(-1)?.isClosed).toBe(true);
    });

    test('WP-5 a session takes no more calls and handles than it says; further calls wait', async () => {
      const bounds = { requests: 4, streams: 3 };
      const { open: openSandbox, remote } = await openTestWire(open, { limits: bounds });
      const { connection, scripted } = await openSandbox();
      const gate = Promise.withResolvers<void>();
      scripted.gate = gate.promise;
      const infos = Array.from({ length: 20 }, () => connection.info.get());
      gate.resolve();
      expect(await Promise.all(infos)).toHaveLength(20);
      await openSandbox();
      await openSandbox();
      await expect(remote.connect({ id: 'oak' })).rejects.toMatchObject({
        code: 'limit-exceeded',
        details: { limit: 3 },
      });
    });

    test('WP-9 a request that breaks the rules of its method is answered, and the session goes on', async () => {
      const { remote, open: openSandbox } = await openTestWire(open);
      const { connection } = await openSandbox();
      const bad: Promise<unknown>[] = [
        connection.history.checkout({ id: 'head' as ReturnType<typeof sampleId> }),
        connection.files.read({ path: 'x'.repeat(5_000) }),
        connection.processes.exec({ command: [] }, () => {}),
        remote.create({ memoryMiB: -1 }, () => {}),
        remote.create({ pids: 1.5 }, () => {}),
        remote.create({ network: 'host' as 'full' }, () => {}),
        connection.files.write({ path: '/x', bytes: Uint8Array.of(1), mode: 0o10000 }),
      ];
      const codes = (await Promise.allSettled(bad)).map(
        (each) => each.status === 'rejected' && each.reason.code,
      );
      expect(codes).toEqual(bad.map(() => 'invalid-argument'));
      expect(await connection.info.get()).toEqual(sampleInfo);
    });

    test('WP-4 a method or a field that the server does not have is refused before it is sent', async () => {
      const { backend, open: openSandbox } = await openTestWire(open);
      const { connection } = await openSandbox();
      backend.asked.length = 0;
      const newer = { command: 'x', shell: true } as { command: string };
      await expect(connection.processes.exec(newer, () => {})).rejects.toMatchObject({
        code: 'unsupported',
        details: { feature: 'processes.exec with shell' },
      });
      expect(backend.asked).toEqual([]);
    });

    test('WP-5 limits of the server are within those of this version', () => {
      expect(limits.wireMessageBytes).toBeLessThanOrEqual(limits.wireWindowBytes);
      expect(limits.wireBodyBytes).toBeGreaterThan(limits.uploadBytes + limits.wireRequestJsonBytes / 2);
    });
  });
}

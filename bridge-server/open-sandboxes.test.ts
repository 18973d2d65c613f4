import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SandboxError } from '../protocol/errors.ts';
import { limits } from '../protocol/limits.ts';
import type { SandboxBackend } from '../protocol/sandbox/backend.ts';
import type { ProgressListener } from '../protocol/sandbox/progress.ts';
import { ScriptedImport, sampleSnapshot } from '../test/fixtures/wire-backend.ts';
import { ScriptedBackend } from '../test/http/scripted-backend.ts';
import { OpenSandboxes } from './open-sandboxes.ts';
import { SharedBackend } from './shared-backend.ts';

let backend: ScriptedBackend;
let sandboxes: OpenSandboxes;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  backend = new ScriptedBackend();
  for (const name of ['one', 'two', 'three']) backend.add(name);
  sandboxes = new OpenSandboxes(backend, { most: 2, idleMs: 1_000 });
});
afterEach(async () => {
  await sandboxes[Symbol.asyncDispose]();
  vi.useRealTimers();
});

const openedIds = () => backend.opened.map(({ id }) => id);

describe('lending open sandboxes', () => {
  test('two who borrow at once share one opening', async () => {
    const [first, second] = await Promise.all([sandboxes.borrow('box-1'), sandboxes.borrow('box-1')]);
    expect([first.connection === second.connection, first.epoch === second.epoch]).toEqual([true, true]);
    expect(openedIds()).toEqual(['box-1']);
  });

  test('B-5 all who wait for an opening are told how far it is, and one who has given up no more', async () => {
    const opening = Promise.withResolvers<void>();
    backend.opening = opening.promise;
    let onProgress: ProgressListener | undefined;
    const open: SandboxBackend['open'] = (ask, listener) => {
      onProgress = listener;
      return ScriptedBackend.prototype.open.call(backend, ask);
    };
    Object.assign(backend, { open });
    const told: [string, number][] = [];
    const borrow = (name: string, signal?: AbortSignal) =>
      sandboxes.borrow('box-1', { signal, onProgress: ({ doneBytes }) => told.push([name, doneBytes]) });
    const giveUp = new AbortController();
    const borrowed = Promise.all([borrow('one'), borrow('two')]);
    const given = borrow('three', giveUp.signal);
    const tell = (doneBytes: number) =>
      onProgress?.({ stage: 'unpack', doneBytes, totalBytes: 0, elapsedMs: 1 });
    await vi.waitFor(() => expect(onProgress).toBeDefined(), { timeout: 120_000 });
    tell(1);
    giveUp.abort();
    await expect(given).rejects.toMatchObject({ code: 'aborted' });
    tell(2);
    opening.resolve();
    await borrowed;
    tell(3);
    expect(told).toEqual([
      ['one', 1],
      ['two', 1],
      ['three', 1],
      ['one', 2],
      ['two', 2],
    ]);
  });

  test('one that nobody uses stays open for a while, and then closes', async () => {
    (await sandboxes.borrow('box-1'))[Symbol.dispose]();
    await vi.advanceTimersByTimeAsync(999);
    expect(backend.sandbox('box-1').isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect([backend.sandbox('box-1').isClosed, sandboxes.count]).toEqual([true, 0]);
  });

  test('using it again begins the while anew, and releasing twice counts once', async () => {
    const first = await sandboxes.borrow('box-1');
    const second = await sandboxes.borrow('box-1');
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(backend.sandbox('box-1').isClosed).toBe(false);
    second[Symbol.dispose]();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(backend.sandbox('box-1').isClosed).toBe(true);
  });

  test('S-6 to start one whose machine has stopped opens it anew; one that a checkout has started goes on', async () => {
    const error = { code: 'machine-failed', message: 'The machine stopped', details: {} } as const;
    const first = await sandboxes.start('box-1');
    expect((await sandboxes.start('box-1')).connection).toBe(first.connection);
    backend.sandbox('box-1').emit({ type: 'machine-failed', error });
    const second = await sandboxes.start('box-1');
    expect(openedIds()).toEqual(['box-1', 'box-1']);
    expect(second.epoch).not.toBe(first.epoch);
    backend.sandbox('box-1').emit({ type: 'machine-failed', error });
    backend.sandbox('box-1').emit({ type: 'head', head: sampleSnapshot.id });
    expect((await sandboxes.start('box-1')).epoch).toBe(second.epoch);
  });

  test('past the most, the one that has been idle longest makes room', async () => {
    for (const id of ['box-1', 'box-2', 'box-1', 'box-3']) {
      (await sandboxes.borrow(id))[Symbol.dispose]();
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(backend.sandbox('box-2').isClosed).toBe(true);
    expect([sandboxes.has('box-1'), sandboxes.has('box-3')]).toEqual([true, true]);
  });

  test('where all are in use, another is refused', async () => {
    await sandboxes.borrow('box-1');
    await sandboxes.borrow('box-2');
    await expect(sandboxes.borrow('box-3')).rejects.toMatchObject({ code: 'busy', details: { limit: 2 } });
    await expect(sandboxes.create({})).rejects.toMatchObject({ code: 'busy' });
  });

  test('a new one is lent to who made it, and shared from then on', async () => {
    const made = await sandboxes.create({ name: 'fresh' });
    const again = await sandboxes.borrow('box-4');
    expect(again.connection).toBe(made.connection);
  });

  test('an opening that fails is not remembered', async () => {
    await expect(sandboxes.borrow('box-9')).rejects.toMatchObject({ code: 'not-found' });
    expect(sandboxes.count).toBe(0);
    backend.add('four');
    await expect(sandboxes.borrow('box-9')).rejects.toMatchObject({ code: 'not-found' });
  });

  test('H-8 one who gives up leaves the opening to the others; the last one ends it', async () => {
    const gate = Promise.withResolvers<void>();
    backend.opening = gate.promise;
    const giveUp = new AbortController();
    const first = sandboxes.borrow('box-1', { signal: giveUp.signal });
    const second = sandboxes.borrow('box-1');
    await vi.advanceTimersByTimeAsync(0);
    giveUp.abort();
    await expect(first).rejects.toMatchObject({ code: 'aborted' });
    gate.resolve();
    expect((await second).connection).toBe(backend.sandbox('box-1'));

    const later = Promise.withResolvers<void>();
    backend.opening = later.promise;
    const alone = new AbortController();
    const third = sandboxes.borrow('box-2', { signal: alone.signal });
    await vi.advanceTimersByTimeAsync(0);
    alone.abort();
    await expect(third).rejects.toMatchObject({ code: 'aborted' });
    later.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(openedIds()).toEqual(['box-1']);
  });

  test('one that ends by itself is opened anew, in another epoch', async () => {
    const first = await sandboxes.borrow('box-1');
    backend.sandbox('box-1').emit({ type: 'closed' });
    const second = await sandboxes.borrow('box-1');
    expect(second.connection).not.toBe(first.connection);
    expect(second.epoch).not.toBe(first.epoch);
  });

  test('who borrows while it closes waits, and gets it opened anew', async () => {
    await sandboxes.borrow('box-1');
    const [, again] = await Promise.all([sandboxes.close('box-1'), sandboxes.borrow('box-1')]);
    expect(backend.opened.map(({ sandbox }) => sandbox.isClosed)).toEqual([true, false]);
    expect(again.connection).toBe(backend.sandbox('box-1'));
  });

  describe('where closing fails or loses changes', () => {
    const lost = new SandboxError('storage-full', 'The last changes of "one" are lost');
    const told: [id: string, error: unknown][] = [];
    beforeEach(() => {
      told.length = 0;
      sandboxes = new OpenSandboxes(backend, { most: 1, onCloseFailed: (...what) => told.push(what) });
    });
    const failToClose = () => {
      backend.sandbox('box-1').close = async () => {
        throw lost;
      };
    };

    test('whoever needs the place is not told of it, but the owner is', async () => {
      (await sandboxes.borrow('box-1'))[Symbol.dispose]();
      failToClose();
      await sandboxes.borrow('box-2');
      expect(told).toEqual([['box-1', lost]]);
    });

    test('H-4 the owner is told of changes that are lost, unless they are to be deleted', async () => {
      await sandboxes.borrow('box-1');
      backend.sandbox('box-1').emit({ type: 'closed', lost: lost.toData() });
      expect(told).toEqual([['box-1', expect.objectContaining({ code: 'storage-full' })]]);
      await sandboxes.borrow('box-1');
      const again = backend.sandbox('box-1');
      again.close = async () => again.emit({ type: 'closed', lost: lost.toData() });
      await sandboxes.close('box-1', { deletes: true });
      expect(told).toHaveLength(1);
    });

    test('one that is being closed already can be closed to be deleted, and its users are told', async () => {
      const lease = await sandboxes.borrow('box-1');
      failToClose();
      const closing = sandboxes.close('box-1');
      const deleting = sandboxes.close('box-1', { deletes: true });
      await expect(closing).rejects.toBe(lost);
      await deleting;
      expect(() => lease.connection).toThrow(expect.objectContaining({ code: 'not-found' }));
    });
  });

  test('disposal closes all, and nothing is lent after it', async () => {
    await sandboxes.borrow('box-1');
    await sandboxes.borrow('box-2');
    await sandboxes[Symbol.asyncDispose]();
    expect(backend.opened.map(({ sandbox }) => sandbox.isClosed)).toEqual([true, true]);
    await expect(sandboxes.borrow('box-1')).rejects.toMatchObject({ code: 'connection-lost' });
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('disposal while a sandbox starts', () => {
  test.each([
    ['a new one', () => sandboxes.create({})],
    ['one to look on', () => sandboxes.openReadOnly('box-1', { account: 'anna', onProgress: () => {} })],
  ])('H-8 aborts the start of %s, and waits for its end', async (_, start) => {
    const gate = Promise.withResolvers<void>();
    backend.opening = gate.promise;
    const starting = expect(start()).rejects.toMatchObject({ code: 'connection-lost' });
    await vi.advanceTimersByTimeAsync(0);
    let isDisposed = false;
    const disposed = sandboxes[Symbol.asyncDispose]().then(() => {
      isDisposed = true;
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(isDisposed).toBe(false);
    gate.resolve();
    await Promise.all([starting, disposed]);
    // Aborted before it was there.
    expect(openedIds()).toEqual([]);
  });
});

describe('a backend that clients share', () => {
  let shared: SharedBackend;
  beforeEach(() => {
    shared = new SharedBackend(backend, { sandboxes, account: 'anna' });
  });

  test('each client has a connection of its own to one sandbox', async () => {
    const first = await shared.open({ id: 'box-1' }, () => {});
    const second = await shared.connect({ id: 'box-1' });
    await first.close();
    expect(await second.info.get()).toMatchObject({ id: 'box-1' });
    await expect(first.info.get()).rejects.toMatchObject({ code: 'connection-lost' });
    expect([openedIds(), backend.sandbox('box-1').isClosed]).toEqual([['box-1'], false]);
  });

  test('only what is open can be connected to', async () => {
    await expect(shared.connect({ id: 'box-1' })).rejects.toMatchObject({ code: 'not-found' });
  });

  test('H-8 closing kills what the client started, and stops what it listened to', async () => {
    const first = await shared.open({ id: 'box-1' }, () => {});
    const second = await shared.open({ id: 'box-1' }, () => {});
    await first.processes.exec({ command: 'mine' }, () => {});
    await second.processes.exec({ command: 'theirs' }, () => {});
    await first.events.subscribe({ after: 0 }, () => {});
    const archive = { read: async () => undefined, close: vi.fn(async () => {}) };
    backend.sandbox('box-1').makeArchive = () => archive;
    await first.transfer.exportTar({ at: 'now' });
    const snapshotImport = new ScriptedImport(sampleSnapshot);
    backend.sandbox('box-1').makeImport = () => snapshotImport;
    await first.transfer.openImport();
    const followed = backend.sandbox('box-1').followers;
    await first.close();
    const { runs, followers } = backend.sandbox('box-1');
    expect(runs.map(({ process }) => process.asked)).toEqual([['kill SIGKILL'], []]);
    expect([followers, archive.close.mock.calls.length, snapshotImport.isClosed]).toEqual([
      followed - 1,
      1,
      true,
    ]);
  });

  test('what has ended is not ended again', async () => {
    const connection = await shared.open({ id: 'box-1' }, () => {});
    await connection.processes.exec({ command: 'short' }, () => {});
    const process = await backend.sandbox('box-1').started(1);
    await process.end();
    await connection.close();
    expect(process.asked).toEqual([]);
  });

  test('one who only looks has a machine apart, which counts and ends with the connection', async () => {
    const [looking, other] = [
      await shared.open({ id: 'box-1', readOnly: true }, () => {}),
      await shared.open({ id: 'box-1' }, () => {}),
    ];
    expect(openedIds()).toEqual(['box-1', 'box-1']);
    await expect(shared.open({ id: 'box-2' }, () => {})).rejects.toMatchObject({ code: 'busy' });
    await looking.close();
    expect(backend.opened.map(({ sandbox }) => sandbox.isClosed)).toEqual([true, false]);
    await shared.open({ id: 'box-2' }, () => {});
    await other.close();
  });

  test('S-6 one account does not fill the bridge with machines that only it looks at', async () => {
    await using roomy = new OpenSandboxes(backend);
    const anna = new SharedBackend(backend, { sandboxes: roomy, account: 'anna' });
    const berta = new SharedBackend(backend, { sandboxes: roomy, account: 'berta' });
    const look = (at: SharedBackend) => at.open({ id: 'box-1', readOnly: true }, () => {});
    const share = limits.readOnlySandboxesOfAccount;
    const looking = await Promise.all(Array.from({ length: share }, () => look(anna)));
    await expect(look(anna)).rejects.toMatchObject({ code: 'busy', details: { limit: share } });
    await (await look(berta)).close();
    await (await anna.open({ id: 'box-2' }, () => {})).close();
    const [closing] = backend.opened;
    const gate = Promise.withResolvers<void>();
    if (closing) closing.sandbox.close = () => gate.promise;
    await looking[0]?.close();
    // Its machine is still there.
    await expect(look(anna)).rejects.toMatchObject({ code: 'busy' });
    gate.resolve();
    await vi.advanceTimersByTimeAsync(0);
    await look(anna);
  });

  test('S-6 an opening to look on that fails gives its share back', async () => {
    const options = { readOnly: true };
    for (let left = limits.readOnlySandboxesOfAccount; left >= 0; left--) {
      await expect(shared.open({ id: 'box-9', ...options }, () => {})).rejects.toMatchObject({
        code: 'not-found',
      });
    }
  });

  test('deleting closes it for all', async () => {
    const connection = await shared.open({ id: 'box-1' }, () => {});
    await shared.delete({ id: 'box-1' });
    expect(backend.sandbox('box-1').isClosed).toBe(true);
    expect((await shared.list()).map(({ id }) => id)).toEqual(['box-2', 'box-3']);
    await expect(connection.info.get()).rejects.toMatchObject({
      code: 'not-found',
      message: 'The sandbox "box-1" is being deleted',
    });
    await connection.close();
  });
});

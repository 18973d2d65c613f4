import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import { connectionDouble } from '../../test/fixtures/connection-double.ts';
import { ScriptedImport, sampleInfo } from '../../test/fixtures/wire-backend.ts';
import { exposeBackend } from './expose-backend.ts';
import { WorkerBackend } from './worker-backend.ts';
import { machineReady, type WarmUp, type WorkerStart } from './worker-start.ts';

/** A worker that is none: it serves a backend on the port that it is given. */
class NearWorker extends EventTarget {
  isTerminated = false;
  warmedUpFor = '';
  image: WorkerStart['image'];
  onmessage: ((event: { data: unknown }) => void) | undefined;
  readonly #served: Partial<SandboxBackend>;
  #port: MessagePort | undefined;

  constructor(served: Partial<SandboxBackend>) {
    super();
    this.#served = served;
  }

  postMessage(message: WorkerStart | WarmUp): void {
    if ('warmUpFor' in message) {
      this.warmedUpFor = message.warmUpFor;
      this.onmessage?.({ data: machineReady });
      return;
    }
    this.#port = message.port;
    this.image = message.image;
    exposeBackend(this.#served as SandboxBackend, message.port);
  }

  terminate(): void {
    this.isTerminated = true;
    this.#port?.close();
  }
}

describe('a backend in workers', () => {
  let workers: NearWorker[];
  let served: Partial<SandboxBackend>;
  let backend: WorkerBackend;
  let log: string[];
  const idle = new Promise<never>(() => undefined);
  const connection = ({ id = 'one', ...rest }: { readonly id?: string } & Partial<SandboxConnection> = {}) =>
    connectionDouble({ info: { get: async () => ({ ...sampleInfo, id }) } }, rest);

  const startWorker = () => {
    const worker = new NearWorker(served);
    workers.push(worker);
    return worker as unknown as Worker;
  };

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    workers = [];
    log = [];
    served = {};
    backend = new WorkerBackend(startWorker, () => undefined);
  });
  afterEach(() => {
    for (const worker of workers) worker.terminate();
    vi.useRealTimers();
  });

  const create = (signal?: AbortSignal) => backend.create(signal ? { signal } : {}, () => undefined);

  test('H-8 a start that is aborted is told to the worker, which clears up and goes', async () => {
    const started = Promise.withResolvers<void>();
    served.create = ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          log.push('cleared up');
          reject(new SandboxError('aborted', 'over'));
        });
        started.resolve();
      });
    const giveUp = new AbortController();
    const creating = create(giveUp.signal);
    await started.promise;
    giveUp.abort('enough');
    await expect(creating).rejects.toMatchObject({ code: 'aborted', cause: 'enough' });
    expect([log, workers.map((worker) => worker.isTerminated)]).toEqual([['cleared up'], [true]]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('X-1 an import that is given up, or not opened, takes its worker along', async () => {
    const snapshotImport = new ScriptedImport(sampleInfo);
    served.openImport = async () => snapshotImport;
    const options = { imageDigest: '1'.repeat(64), name: 'n', memoryMiB: 128, diskMiB: 64 };
    const opened = await backend.openImport(options);
    await opened.write(Uint8Array.of(1, 2));
    expect(workers.map((worker) => worker.isTerminated)).toEqual([false]);
    await opened.close();
    await opened.close();
    served.openImport = async () => Promise.reject(new SandboxError('asset-unavailable', 'no image'));
    await expect(backend.openImport(options)).rejects.toMatchObject({ code: 'asset-unavailable' });
    expect(workers.map((worker) => worker.isTerminated)).toEqual([true, true]);
    expect([snapshotImport.written, snapshotImport.isClosed, vi.getTimerCount()]).toEqual([[2], true, 0]);
  });

  test.each([
    { what: 'an archive', options: { archive: { label: 'l' }, name: 'n' } },
    { what: 'a snapshot', options: { imageDigest: '1'.repeat(64), name: 'n' } },
  ])(
    'B-8 a worker that has made a sandbox of $what is the next sandbox’s, unless that was given up',
    async ({ options }) => {
      served.openImport = async () => new ScriptedImport(sampleInfo);
      served.open = async ({ id }) => connection({ id });
      const given = await backend.openImport(options);
      await given.close();
      const opened = await backend.openImport(options);
      expect(await opened.finish()).toEqual(sampleInfo);
      await opened.close();
      expect(workers.map((worker) => worker.isTerminated)).toEqual([true, false]);
      await backend.open({ id: 'one' }, () => undefined);
      expect(workers).toHaveLength(2);
      await backend.list().catch(() => undefined);
      expect(workers).toHaveLength(3);
    },
  );

  test('S-3 one worker stands by with the image of a sandbox that is likely to come, which uses it', async () => {
    served.openImport = async () => new ScriptedImport(sampleInfo);
    served.open = async ({ id }) => connection({ id });
    await backend.standBy({ runtime: 'shell' });
    expect(workers).toHaveLength(0);
    for (const image of ['node', 'other']) void backend.standBy({ runtime: 'v86', image });
    expect(workers.map(({ image }) => image)).toEqual([{ name: 'node' }]);
    const options = { archive: { label: 'l', image: 'node' }, runtime: 'v86', name: 'n' } as const;
    const opened = await backend.openImport(options);
    await opened.finish();
    await opened.close();
    const sandbox = await backend.open({ id: 'one' }, () => undefined);
    expect(workers).toHaveLength(1);
    await sandbox.close();
    expect(workers.map((worker) => worker.isTerminated)).toEqual([true]);
  });

  test('H-8 a worker that does not end an aborted start is ended; one that is aborted before it starts has none', async () => {
    const started = Promise.withResolvers<void>();
    served.open = () => {
      started.resolve();
      return idle;
    };
    const giveUp = new AbortController();
    const opening = backend.open({ id: 'one', signal: giveUp.signal }, () => undefined);
    await started.promise;
    giveUp.abort();
    vi.advanceTimersByTime(limits.abortTimeoutMs);
    await expect(opening).rejects.toMatchObject({ code: 'aborted' });
    expect(workers.map((worker) => worker.isTerminated)).toEqual([true]);
    await expect(create(AbortSignal.abort('no'))).rejects.toMatchObject({ code: 'aborted', cause: 'no' });
    expect(workers).toHaveLength(1);
  });

  test('H-8 what was made before the abort arrived is closed and deleted', async () => {
    const giveUp = new AbortController();
    served.create = async () => {
      giveUp.abort('late');
      return connection({ close: async () => void log.push('closed') });
    };
    served.delete = async ({ id }) => void log.push(`deleted ${id}`);
    await expect(create(giveUp.signal)).rejects.toMatchObject({ code: 'aborted', cause: 'late' });
    expect(log).toEqual(['closed', 'deleted one']);
  });

  test('H-8 what was made before the abort arrived, and does not close as it should, is deleted', async () => {
    const giveUp = new AbortController();
    served.create = async () => {
      giveUp.abort('late');
      return connection({ close: () => Promise.reject(new Error('full')) });
    };
    served.delete = async ({ id }) => void log.push(`deleted ${id}`);
    await expect(create(giveUp.signal)).rejects.toMatchObject({ code: 'aborted', cause: 'late' });
    expect(log).toEqual(['deleted one']);
  });

  test('an abort after the start changes nothing', async () => {
    served.create = async () => connection();
    const giveUp = new AbortController();
    const sandbox = await create(giveUp.signal);
    giveUp.abort();
    expect(await sandbox.info.get()).toMatchObject({ id: 'one' });
    vi.advanceTimersByTime(limits.serveDelayMs);
    expect([vi.getTimerCount(), workers.map((worker) => worker.isTerminated)]).toEqual([0, [false]]);
    await sandbox.close();
    expect(workers.map((worker) => worker.isTerminated)).toEqual([true]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('C-2 a sandbox that is closed before other pages hear of it is never told of', async () => {
    served.create = async () => connection();
    backend = new WorkerBackend(startWorker, () => {
      log.push('switchboard');
      return undefined;
    });
    const early = await create();
    await early.close();
    vi.advanceTimersByTime(limits.serveDelayMs);
    expect([vi.getTimerCount(), log]).toEqual([0, []]);
    const sandbox = await create();
    vi.advanceTimersByTime(limits.serveDelayMs);
    await vi.waitFor(() => expect(log).toEqual(['switchboard']), { timeout: 120_000 });
    await sandbox.close();
  });

  test('a machine for a fork is made beside an open sandbox, and not once that is closed', async () => {
    served.create = async () => connection();
    backend = new WorkerBackend(startWorker, () => undefined, { makesSpares: true });
    const early = await create();
    await early.close();
    expect(vi.getTimerCount()).toBe(0);
    const sandbox = await create();
    vi.advanceTimersByTime(limits.spareMachineDelayMs);
    await vi.waitFor(() => expect(workers.map((worker) => worker.warmedUpFor)).toEqual(['', '', 'one']), {
      timeout: 120_000,
    });
    served.open = async () => connection();
    const fork = await backend.open({ id: 'two' }, () => undefined);
    expect(workers).toHaveLength(3); // It has the one that was made.
    await fork.close();
    vi.advanceTimersByTime(limits.spareMachineDelayMs);
    await vi.waitFor(() => expect(workers[3]?.warmedUpFor).toBe('one'), { timeout: 120_000 });
    await sandbox.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  describe('a fork of what runs', () => {
    /** Where the sandbox sends its machine ahead to; nothing when it does to nobody. */
    let route: { isFree: boolean; send(machine: object, transfer: ArrayBuffer[]): void } | undefined;
    const handsOver = (handOver: () => object): Partial<SandboxConnection> =>
      ({
        handOver: () => ({ machine: handOver(), transfer: [] }),
        lead: (to: typeof route) => {
          route = to;
        },
      }) as Partial<SandboxConnection>;
    /** A sandbox that hands over `machine`, beside which a worker stands ready. */
    const openParent = async (handOver: () => object) => {
      route = undefined;
      served.create = async () => connection(handsOver(handOver));
      backend = new WorkerBackend(startWorker, () => undefined, { makesSpares: true });
      const parent = await create();
      vi.advanceTimersByTime(limits.spareMachineDelayMs);
      await vi.waitFor(() => expect(route).toBeDefined(), { timeout: 120_000 });
      expect(workers[1]?.warmedUpFor).toBe('one');
      return parent;
    };
    const takesOver = (takeOver: (machine: object) => Promise<SandboxConnection>) => {
      const takeAhead = async (machine: object) => void log.push(`ahead ${JSON.stringify(machine)}`);
      Object.assign(served, { takeOver, takeAhead });
    };
    const fork = (id: string) => connection({ id });

    test('X-5 is handed to the worker that stands ready, and is what is opened then', async () => {
      takesOver(async (machine) => {
        log.push(JSON.stringify(machine));
        return fork('two');
      });
      const parent = await openParent(() => ({ ram: 'and all' }));
      expect(await parent.forkRunning?.()).toMatchObject({ id: 'two' });
      const opened = await backend.open({ id: 'two' }, () => undefined);
      expect([log, (await opened.info.get()).id, workers.length]).toEqual([['{"ram":"and all"}'], 'two', 2]);
      await opened.close();
      expect(workers.map((worker) => worker.isTerminated)).toEqual([false, true]);
      await parent.close();
    });

    test('X-5 has by then what went ahead, which nothing does once another has the worker', async () => {
      takesOver(async (machine) => {
        log.push(`last ${JSON.stringify(machine)}`);
        return fork('two');
      });
      const parent = await openParent(() => ({ ram: 'what differs' }));
      route?.send({ ram: 'all' }, []);
      expect(route?.isFree).toBe(false);
      await vi.waitFor(() => expect(route?.isFree).toBe(true), { timeout: 120_000 });
      await parent.forkRunning?.();
      expect(log).toEqual(['ahead {"ram":"all"}', 'last {"ram":"what differs"}']);
      served.open = async () => connection();
      vi.advanceTimersByTime(limits.spareMachineDelayMs);
      await vi.waitFor(() => expect(workers[2]?.warmedUpFor).toBe('one'), { timeout: 120_000 });
      await vi.waitFor(() => expect(route).toBeDefined(), { timeout: 120_000 });
      const other = await backend.open({ id: 'three' }, () => undefined);
      await vi.waitFor(() => expect(route).toBeUndefined(), { timeout: 120_000 });
      await other.close();
      await parent.close();
    });

    test('X-5 has what went ahead of who is open, and of these, of who was forked last', async () => {
      const ahead = new Set<string>();
      const goesAhead = (id: string) => {
        const lead = (to: object | undefined) => void (to ? ahead.add(id) : ahead.delete(id));
        const handOver = () => ({ machine: {}, transfer: [] });
        return connection({ id, lead, handOver } as object);
      };
      served.create = async () => goesAhead('one');
      served.open = async ({ id }) => goesAhead(id);
      takesOver(async () => fork('four'));
      backend = new WorkerBackend(startWorker, () => undefined, { makesSpares: true });
      const expectAhead = (id: string) =>
        vi.waitFor(() => expect([...ahead]).toEqual([id]), { timeout: 120_000 });
      const one = await create();
      const two = await backend.open({ id: 'two' }, () => undefined);
      const three = await backend.open({ id: 'three' }, () => undefined);
      vi.advanceTimersByTime(limits.spareMachineDelayMs);
      await expectAhead('one');
      await one.close();
      await expectAhead('two');
      await three.forkRunning?.();
      vi.advanceTimersByTime(limits.spareMachineDelayMs);
      await expectAhead('three');
      await three.close();
      await expectAhead('two');
      await two.close();
    });

    test('X-5 H-10 is none where what went ahead did not fit', async () => {
      takesOver(async () => fork('two'));
      const parent = await openParent(() => ({}));
      Object.assign(served, { takeAhead: () => Promise.reject(new SandboxError('corrupt-object', 'no')) });
      route?.send({}, []);
      expect(await parent.forkRunning?.()).toBeUndefined();
      expect(workers[1]?.isTerminated).toBe(true);
      await parent.close();
    });

    test('H-8 that nobody opens is closed', async () => {
      takesOver(async () => fork('two'));
      const parent = await openParent(() => ({}));
      await parent.forkRunning?.();
      vi.advanceTimersByTime(limits.unopenedForkMs);
      await vi.waitFor(() => expect(workers[1]?.isTerminated).toBe(true), { timeout: 120_000 });
      await parent.close();
    });

    test('H-10 is none where either side refuses, or none stands ready: the worker goes, and the longer way is taken', async () => {
      takesOver(async () => Promise.reject(new SandboxError('unsupported', 'another image')));
      const refused = await openParent(() => ({}));
      expect(await refused.forkRunning?.()).toBeUndefined();
      expect(await refused.forkRunning?.()).toBeUndefined();
      expect(workers.map((worker) => worker.isTerminated)).toEqual([false, true]);
      await refused.close();
      workers = [];
      takesOver(async () => fork('two'));
      const refuses = await openParent(() => {
        throw new SandboxError('unsupported', 'it was booted');
      });
      expect(await refuses.forkRunning?.()).toBeUndefined();
      expect(workers.map((worker) => worker.isTerminated)).toEqual([false, true]);
      await refuses.close();
    });
  });

  test('H-8 closing a sandbox whose worker hangs ends the worker, and says that it did', async () => {
    served.create = async () => connection({ close: () => idle });
    const sandbox = await create();
    const closing = sandbox.close();
    vi.advanceTimersByTime(limits.closeTimeoutMs);
    await expect(closing).rejects.toMatchObject({ code: 'timeout' });
    expect(workers.map((worker) => worker.isTerminated)).toEqual([true]);
    await expect(sandbox.info.get()).rejects.toMatchObject({ code: 'timeout' });
  });
});

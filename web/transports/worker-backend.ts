import { abortable, listenAbort, throwIfAborted } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { describeRuntime } from '../../protocol/runtime-description.ts';
import {
  type CreateOptions,
  defaultImage,
  type OpenOptions,
  type SandboxBackend,
  type SnapshotImportOptions,
  type StartOptions,
} from '../../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import type { ProgressListener } from '../../protocol/sandbox/progress.ts';
import { hasImage, type SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { ArchiveReader, SnapshotImport } from '../../protocol/sandbox/transfer.ts';
import { closeOnce, isUnsaved } from '../../protocol/unsaved-changes.ts';
import { CrashGuard } from './crash-guard.ts';
import type { ForkOptions } from './handover.ts';
import { remoteBackend, type WorkerConnection } from './remote-backend.ts';
import type { Switchboard } from './switchboard.ts';
import {
  machineReady,
  type NeededImage,
  type WarmUp,
  type WorkerStart,
  workerHolds,
  workerRuns,
} from './worker-start.ts';

/**
 * Gives every open sandbox a worker of its own, so that one that hangs or dies takes nothing else
 * with it. A spare worker answers `list` and `delete` and is the next sandbox's.
 */
export class WorkerBackend implements SandboxBackend {
  readonly #startWorker: () => Worker;
  readonly #openSwitchboard: () => Switchboard | undefined;
  readonly #makesSpares: boolean;
  #switchboard: { readonly open: Switchboard | undefined } | undefined;
  #spare: MachineWorker | undefined;
  readonly #open = new Set<WorkerConnection>();
  /** Who handed its machine to a fork last: it may again. */
  #forkedLast: WorkerConnection | undefined;
  /** Whose machine goes ahead to the worker that stands ready. */
  #led: { readonly parent: WorkerConnection; readonly worker: MachineWorker } | undefined;
  #warming: ReturnType<typeof setTimeout> | undefined;
  /** Forks that run and that nobody has opened, by id. */
  readonly #forks = new Map<
    string,
    { connection: SandboxConnection; timer: ReturnType<typeof setTimeout> }
  >();

  /**
   * `openSwitchboard` is called when one is needed; without one (some browsers have no SharedWorker), other
   * pages cannot connect. `makesSpares`: a machine for a fork is made before anybody asks for it.
   */
  constructor(
    startWorker: () => Worker,
    openSwitchboard: () => Switchboard | undefined,
    { makesSpares = false }: { makesSpares?: boolean } = {},
  ) {
    this.#startWorker = startWorker;
    this.#openSwitchboard = openSwitchboard;
    this.#makesSpares = makesSpares;
  }

  /**
   * Starts the worker of the sandbox that will be opened next, which fetches the image meanwhile.
   * Resolves when its script runs, or when it cannot: whoever opens the sandbox is told.
   */
  prepare(image: NeededImage): Promise<void> {
    return this.#withSpare(image).running;
  }

  /** What has no image takes next to nothing. */
  async standBy(ask: Pick<CreateOptions, 'runtime' | 'image'>): Promise<void> {
    const image = neededImage(ask);
    if (image) await this.prepare(image);
  }

  async connect({ id }: { readonly id: string }): Promise<SandboxConnection> {
    const switchboard = this.#sharedSwitchboard();
    if (switchboard) return switchboard.connect(id);
    throw new SandboxError('unsupported', 'This browser has no SharedWorker to find the other page with', {
      details: { feature: 'SharedWorker' },
    });
  }

  create(options: CreateOptions & StartOptions, onProgress: ProgressListener): Promise<SandboxConnection> {
    const { signal } = options;
    return this.#openIn(neededImage(options), {
      signal,
      open: (backend) => backend.create(options, onProgress),
      undo: (backend, id) => backend.delete({ id }),
    });
  }

  open(
    ask: OpenOptions & StartOptions & { readonly id: string },
    onProgress: ProgressListener,
  ): Promise<SandboxConnection> {
    const { id, readOnly, signal } = ask;
    const fork = readOnly ? undefined : this.#takeFork(id);
    if (fork) return Promise.resolve(fork);
    const open = (backend: SandboxBackend) => backend.open(ask, onProgress);
    return this.#openIn({ sandbox: id }, { signal, open });
  }

  /** In a worker of its own, until it is closed: what is not at hand is fetched, which blocks. */
  async exportTar(ask: { readonly id: string; readonly at?: string | undefined }): Promise<ArchiveReader> {
    const worker = this.#takeSpare({ sandbox: ask.id });
    try {
      const archive = await worker.backend.exportTar(ask);
      let closed: Promise<void> | undefined;
      const close = () => {
        worker.endAfter(limits.closeTimeoutMs);
        closed ??= archive.close().finally(() => worker[Symbol.dispose]());
        return closed;
      };
      return { read: () => archive.read(), close };
    } catch (error) {
      worker[Symbol.dispose]();
      throw error;
    }
  }

  /**
   * In a worker of its own, until it is closed: hashing what comes keeps nobody waiting. One that has made a sandbox has its
   * image at hand, and is the next sandbox's.
   */
  async openImport(options: SnapshotImportOptions): Promise<SnapshotImport> {
    const { archive, runtime } = options;
    const worker = this.#takeSpare(archive && neededImage({ ...archive, ...(runtime ? { runtime } : {}) }));
    try {
      const snapshotImport = await worker.backend.openImport(options);
      let closed: Promise<void> | undefined;
      let isMade = false;
      const finish = async () => {
        const made = await snapshotImport.finish();
        isMade = true;
        return made;
      };
      const close = () => {
        // A second time there would be nobody to take the deadline back.
        if (!closed) worker.endAfter(limits.closeTimeoutMs);
        closed ??= snapshotImport.close().then(
          () => (isMade ? this.#giveBack(worker) : worker[Symbol.dispose]()),
          (error) => {
            worker[Symbol.dispose]();
            throw error;
          },
        );
        return closed;
      };
      return { write: (bytes) => snapshotImport.write(bytes), finish, close };
    } catch (error) {
      worker[Symbol.dispose]();
      throw error;
    }
  }

  list(): Promise<SandboxInfo[]> {
    return this.#withSpare().backend.list();
  }

  delete(ask: { readonly id: string }): Promise<void> {
    return this.#withSpare().backend.delete(ask);
  }

  rename(ask: { readonly id: string; readonly name: string }): Promise<SandboxInfo> {
    return this.#withSpare().backend.rename(ask);
  }

  /** Opens a sandbox in a worker of its own, which goes when that fails, is aborted, or it is closed. */
  async #openIn(image: NeededImage | undefined, start: Start): Promise<SandboxConnection> {
    const { signal } = start;
    const what = 'Cannot start the sandbox';
    throwIfAborted(signal, what);
    const worker = this.#takeSpare(image);
    const unlisten = listenAbort(signal, () => worker.endAfter(limits.abortTimeoutMs));
    try {
      const connection = await abortable(() => this.#openWith(worker, start), { signal, what });
      // An abort that nobody heeded any more has set one.
      worker.dropDeadline();
      return connection;
    } catch (error) {
      worker[Symbol.dispose]();
      throw error;
    } finally {
      unlisten();
    }
  }

  async #openWith(worker: MachineWorker, { signal, open, undo }: Start): Promise<SandboxConnection> {
    const connection = (await open(worker.backend)) as WorkerConnection;
    if (signal?.aborted) {
      // Too late for the worker to notice.
      const { id } = await connection.info.get();
      await connection.close().catch(() => undefined);
      await undo?.(worker.backend, id);
      throw new SandboxError('aborted', 'The sandbox was not wanted any more');
    }
    return this.#keep(worker, connection);
  }

  /** A connection whose worker goes when it is closed. */
  #keep(worker: MachineWorker, connection: WorkerConnection): SandboxConnection {
    const stopServing = this.#serve(connection);
    const forget = this.#noteOpen(connection);
    const close = closeOnce(async (options) => {
      worker.endAfter(limits.closeTimeoutMs);
      try {
        await connection.close(options);
      } catch (error) {
        if (isUnsaved(error)) {
          worker.dropDeadline();
          throw error;
        }
        end();
        throw error;
      }
      end();
    });
    const end = () => {
      stopServing();
      forget();
      worker[Symbol.dispose]();
    };
    const forkRunning = (options: ForkOptions = {}) => this.#forkRunning(connection, options);
    return { ...connection, forkRunning, close };
  }

  /** Has a machine that runs go ahead to the worker that stands ready: the two speak to each other. */
  #lead(worker: MachineWorker): void {
    const parent = this.#nextParent();
    if (!parent) return;
    this.#stopLeading();
    const { port1, port2 } = new MessageChannel();
    // Whoever forks is told what is wrong.
    for (const told of [parent.lead(port1), worker.backend.follow(port2)]) told.catch(() => undefined);
    this.#led = { parent, worker };
  }

  #stopLeading(): void {
    this.#led?.parent.lead(undefined).catch(() => undefined);
    this.#led = undefined;
  }

  /** Has the spare worker go on from what runs. A refusal ends that worker. */
  async #forkRunning(parent: WorkerConnection, options: ForkOptions): Promise<SandboxInfo | undefined> {
    const worker = this.#spare?.isWarmedUp && !this.#spare.failed ? this.#spare : undefined;
    if (!worker) return undefined;
    this.#spare = undefined;
    const isLed = this.#led?.parent === parent && this.#led.worker === worker;
    if (isLed) this.#led = undefined;
    else this.#stopLeading();
    const { port1, port2 } = isLed ? {} : new MessageChannel();
    try {
      const handing = parent.handOver(port1);
      const taking = worker.backend.takeOver(port2, options, () => {});
      taking.catch(() => undefined); // Of two refusals the first is told.
      await handing;
      const connection = this.#keep(worker, await taking);
      const info = await connection.info.get();
      if (this.#open.has(parent)) this.#forkedLast = parent;
      const timer = setTimeout(() => void this.#takeFork(info.id)?.close(), limits.unopenedForkMs);
      this.#forks.set(info.id, { connection, timer });
      return info;
    } catch (cause) {
      worker[Symbol.dispose]();
      const { code, message } = SandboxError.from(cause);
      if (code !== 'unsupported') console.info('A fork takes the longer way:', message);
      return undefined;
    }
  }

  #takeFork(id: string): SandboxConnection | undefined {
    const fork = this.#forks.get(id);
    if (!fork) return undefined;
    this.#forks.delete(id);
    clearTimeout(fork.timer);
    return fork.connection;
  }

  /** Lets other pages use what is open, once whoever opened it has had its turn: until then nobody knows of it. */
  #serve(connection: SandboxConnection): () => void {
    let stop = () => {};
    const serve = async () => {
      const { id } = await connection.info.get();
      if (!over.signal.aborted) stop = this.#sharedSwitchboard()?.serve(id, connection) ?? stop;
    };
    const over = new AbortController();
    const timer = setTimeout(() => void serve().catch(() => undefined), limits.serveDelayMs);
    return () => {
      clearTimeout(timer);
      over.abort();
      stop();
    };
  }

  /** Notes what is open, and makes the machine of a fork once that has had its turn. Answers what takes it back. */
  #noteOpen(connection: WorkerConnection): () => void {
    if (!this.#makesSpares) return () => {};
    this.#open.add(connection);
    clearTimeout(this.#warming);
    this.#warming = setTimeout(() => void this.#warmUp().catch(() => undefined), limits.spareMachineDelayMs);
    return () => {
      this.#open.delete(connection);
      if (this.#forkedLast === connection) this.#forkedLast = undefined;
      if (this.#open.size === 0) clearTimeout(this.#warming);
      if (this.#led?.parent !== connection) return;
      const { worker } = this.#led;
      this.#stopLeading();
      if (worker === this.#spare) this.#lead(worker);
    };
  }

  /** Who is likely to be forked next. */
  #nextParent(): WorkerConnection | undefined {
    const [first] = this.#open;
    return this.#forkedLast ?? first;
  }

  async #warmUp(): Promise<void> {
    // What has no image has no machine that a fork could go on from.
    for (const connection of this.#open)
      if (!hasImage(await connection.info.get())) this.#open.delete(connection);
    const info = await this.#nextParent()?.info.get();
    if (!info || this.#open.size === 0) return;
    const worker = this.#withSpare();
    worker.warmUp(info.id, () => {
      if (this.#spare === worker && this.#led?.worker !== worker) this.#lead(worker);
    });
  }

  #sharedSwitchboard(): Switchboard | undefined {
    this.#switchboard ??= { open: this.#openSwitchboard() };
    return this.#switchboard.open;
  }

  #takeSpare(image: NeededImage | undefined): MachineWorker {
    const worker = this.#withSpare(image);
    this.#spare = undefined;
    this.#stopLeading();
    return worker;
  }

  /** Makes a worker that is done the spare one, unless there is one. */
  #giveBack(worker: MachineWorker): void {
    worker.dropDeadline();
    if (this.#spare || worker.failed) worker[Symbol.dispose]();
    else this.#spare = worker;
  }

  /** `image` is what a worker that is started now will need. */
  #withSpare(image?: NeededImage): MachineWorker {
    if (this.#spare?.failed) this.#spare = undefined;
    this.#spare ??= new MachineWorker(this.#startWorker(), image);
    return this.#spare;
  }
}

/** The image that a new sandbox begins with; nothing of one whose runtime has none. */
function neededImage({ from, runtime, image = defaultImage }: CreateOptions): NeededImage | undefined {
  if (from) return { sandbox: from.sandbox };
  return runtime !== undefined && describeRuntime(runtime)?.image === false ? undefined : { name: image };
}

interface Start {
  readonly signal: AbortSignal | undefined;
  readonly open: (backend: SandboxBackend) => Promise<SandboxConnection>;
  /** Clears away what was opened after all. */
  readonly undo?: (backend: SandboxBackend, id: string) => Promise<void>;
}

class MachineWorker implements Disposable {
  readonly backend: ReturnType<typeof remoteBackend>;
  /** Whether it was told to get ready for a sandbox. */
  isWarmedUp = false;
  readonly running: Promise<void>;
  failed = false;
  readonly #worker: Worker;
  readonly #guard = new CrashGuard();
  readonly #lock = `coppice/worker/${crypto.randomUUID()}`;
  readonly #over = new AbortController();
  #onReady: () => void = () => {};
  #deadline: ReturnType<typeof setTimeout> | undefined;

  constructor(worker: Worker, image: NeededImage | undefined) {
    this.#worker = worker;
    const { port1, port2 } = new MessageChannel();
    this.backend = remoteBackend(port1, this.#guard);
    const start: WorkerStart = { port: port2, image, lock: this.#lock };
    worker.postMessage(start, [port2]);
    this.running = new Promise((resolve) => {
      worker.onmessage = ({ data }) => {
        if (data === workerRuns) resolve();
        else if (data === machineReady) this.#onReady();
        else if (data === workerHolds) this.#awaitEnd();
      };
      this.#guard.onCrash(() => resolve());
    });
    worker.onerror = (event) => this.#crash(event.message || 'its script could not be loaded');
    worker.onmessageerror = () => this.#crash('a message could not be read');
  }

  /** Its lock is free when it has ended: a browser that is short of memory ends one without an event. */
  #awaitEnd(): void {
    const { signal } = this.#over;
    const ended = navigator.locks.request(this.#lock, { signal }, () => this.#crash('it ended'));
    ended.catch(() => undefined); // It was let go of.
  }

  /** Has it get ready for a sandbox that begins like this one; `onReady` is told once it is. */
  warmUp(sandbox: string, onReady: () => void): void {
    this.isWarmedUp = true;
    this.#onReady = onReady;
    const message: WarmUp = { warmUpFor: sandbox };
    this.#worker.postMessage(message);
  }

  /** Ends the worker, whatever it does, unless it is let go of in time. What waits for it then fails with `timeout`. */
  endAfter(timeoutMs: number): void {
    this.#deadline ??= setTimeout(() => {
      this.#worker.terminate();
      const why = `it did not answer for ${timeoutMs / 1000} s`;
      this.#guard.crash(
        new SandboxError('timeout', `The machine's worker was ended: ${why}. Go on from the last snapshot`),
      );
    }, timeoutMs);
  }

  /** Takes back `endAfter`. */
  dropDeadline(): void {
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
  }

  [Symbol.dispose](): void {
    this.dropDeadline();
    this.#over.abort();
    this.#worker.terminate();
    this.#guard.crash(new SandboxError('connection-lost', 'The sandbox was closed'));
  }

  #crash(why: string): void {
    this.failed = true;
    this.#worker.terminate();
    this.#guard.crash(
      new SandboxError(
        'connection-lost',
        `The machine's worker stopped: ${why}. Reload to go on from the last snapshot`,
      ),
    );
  }
}

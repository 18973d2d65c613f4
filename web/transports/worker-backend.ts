import { SandboxError } from '../../protocol/errors.ts';
import type {
  ArchiveReader,
  CreateOptions,
  Progress,
  SandboxBackend,
  SandboxConnection,
  SandboxInfo,
} from '../../protocol/sandbox.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import { CrashGuard } from './crash-guard.ts';
import { remoteBackend } from './remote-backend.ts';
import type { Switchboard } from './switchboard.ts';
import { defaultImage, type NeededImage, type WorkerStart, workerRuns } from './worker-start.ts';

type OnProgress = (progress: Progress) => void;

/**
 * Gives every open sandbox a worker of its own, so that one that hangs or dies takes nothing else
 * with it. A spare worker answers `list` and `delete` and is the next sandbox's.
 */
export class WorkerBackend implements SandboxBackend {
  readonly #startWorker: () => Worker;
  readonly #openSwitchboard: () => Switchboard | undefined;
  #switchboard: { readonly open: Switchboard | undefined } | undefined;
  #spare: MachineWorker | undefined;

  /** `openSwitchboard` is called when one is needed; without one (some browsers have no SharedWorker), other pages cannot connect. */
  constructor(startWorker: () => Worker, openSwitchboard: () => Switchboard | undefined) {
    this.#startWorker = startWorker;
    this.#openSwitchboard = openSwitchboard;
  }

  /**
   * Starts the worker of the sandbox that will be opened next, which fetches the image meanwhile.
   * Resolves when its script runs, or when it cannot: whoever opens the sandbox is told.
   */
  prepare(image: NeededImage): Promise<void> {
    return this.#withSpare(image).running;
  }

  async connect(id: string): Promise<SandboxConnection> {
    const switchboard = this.#sharedSwitchboard();
    if (switchboard) return switchboard.connect(id);
    throw new SandboxError('unsupported', 'This browser has no SharedWorker to find the other page with', {
      details: { feature: 'SharedWorker' },
    });
  }

  create(options: CreateOptions, onProgress: OnProgress): Promise<SandboxConnection> {
    const { from, image = defaultImage } = options;
    const needed = from ? { sandbox: from.sandbox } : { name: image };
    return this.#openIn(needed, (backend) => backend.create(options, onProgress));
  }

  open(
    id: string,
    options: { readonly readOnly?: boolean },
    onProgress: OnProgress,
  ): Promise<SandboxConnection> {
    return this.#openIn({ sandbox: id }, (backend) => backend.open(id, options, onProgress));
  }

  /** In a worker of its own, until it is closed: what is not at hand is fetched, which blocks. */
  async exportTar(id: string, options: { readonly at?: SnapshotId } = {}): Promise<ArchiveReader> {
    const worker = this.#takeSpare({ sandbox: id });
    try {
      const archive = await worker.backend.exportTar(id, options);
      let closed: Promise<void> | undefined;
      const close = () => {
        closed ??= archive.close().finally(() => worker[Symbol.dispose]());
        return closed;
      };
      return { read: () => archive.read(), close };
    } catch (error) {
      worker[Symbol.dispose]();
      throw error;
    }
  }

  list(): Promise<SandboxInfo[]> {
    return this.#withSpare().backend.list();
  }

  delete(id: string): Promise<void> {
    return this.#withSpare().backend.delete(id);
  }

  async #openIn(
    image: NeededImage,
    open: (backend: SandboxBackend) => Promise<SandboxConnection>,
  ): Promise<SandboxConnection> {
    const worker = this.#takeSpare(image);
    try {
      const connection = await open(worker.backend);
      const { id } = await connection.info();
      const stopServing = this.#sharedSwitchboard()?.serve(id, connection);
      let closed: Promise<void> | undefined;
      const close = () => {
        stopServing?.();
        closed ??= connection.close().finally(() => worker[Symbol.dispose]());
        return closed;
      };
      return { ...connection, close };
    } catch (error) {
      worker[Symbol.dispose]();
      throw error;
    }
  }

  #sharedSwitchboard(): Switchboard | undefined {
    this.#switchboard ??= { open: this.#openSwitchboard() };
    return this.#switchboard.open;
  }

  #takeSpare(image: NeededImage): MachineWorker {
    const worker = this.#withSpare(image);
    this.#spare = undefined;
    return worker;
  }

  /** `image` is what a worker that is started now will need. */
  #withSpare(image?: NeededImage): MachineWorker {
    if (this.#spare?.failed) this.#spare = undefined;
    this.#spare ??= new MachineWorker(this.#startWorker(), image);
    return this.#spare;
  }
}

class MachineWorker implements Disposable {
  readonly backend: SandboxBackend;
  readonly running: Promise<void>;
  failed = false;
  readonly #worker: Worker;
  readonly #guard = new CrashGuard();

  constructor(worker: Worker, image: NeededImage | undefined) {
    this.#worker = worker;
    const { port1, port2 } = new MessageChannel();
    this.backend = remoteBackend(port1, this.#guard);
    const start: WorkerStart = { port: port2, image };
    worker.postMessage(start, [port2]);
    this.running = new Promise((resolve) => {
      worker.onmessage = ({ data }) => data === workerRuns && resolve();
      this.#guard.onCrash(() => resolve());
    });
    worker.onerror = (event) => this.#crash(event.message || 'its script could not be loaded');
    worker.onmessageerror = () => this.#crash('a message could not be read');
  }

  [Symbol.dispose](): void {
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

import { SandboxError } from '../../protocol/errors.ts';
import type {
  CreateOptions,
  Progress,
  SandboxBackend,
  SandboxConnection,
  SandboxInfo,
} from '../../protocol/sandbox.ts';
import { CrashGuard } from './crash-guard.ts';
import { remoteBackend } from './remote-backend.ts';
import type { Switchboard } from './switchboard.ts';

type OnProgress = (progress: Progress) => void;

/**
 * Gives every open sandbox a worker of its own, so that one that hangs or dies takes nothing else
 * with it. A spare worker answers `list` and `delete` and is the next sandbox's.
 */
export class WorkerBackend implements SandboxBackend {
  readonly #startWorker: () => Worker;
  readonly #switchboard: Switchboard | undefined;
  #spare: MachineWorker | undefined;

  /** Without a switchboard (some browsers have no SharedWorker), other pages cannot connect. */
  constructor(startWorker: () => Worker, switchboard?: Switchboard) {
    this.#startWorker = startWorker;
    this.#switchboard = switchboard;
  }

  async connect(id: string): Promise<SandboxConnection> {
    if (this.#switchboard) return this.#switchboard.connect(id);
    throw new SandboxError('unsupported', 'This browser has no SharedWorker to find the other page with', {
      details: { feature: 'SharedWorker' },
    });
  }

  create(options: CreateOptions, onProgress: OnProgress): Promise<SandboxConnection> {
    return this.#openIn((backend) => backend.create(options, onProgress));
  }

  open(
    id: string,
    options: { readonly readOnly?: boolean },
    onProgress: OnProgress,
  ): Promise<SandboxConnection> {
    return this.#openIn((backend) => backend.open(id, options, onProgress));
  }

  list(): Promise<SandboxInfo[]> {
    return this.#withSpare().backend.list();
  }

  delete(id: string): Promise<void> {
    return this.#withSpare().backend.delete(id);
  }

  async #openIn(open: (backend: SandboxBackend) => Promise<SandboxConnection>): Promise<SandboxConnection> {
    const worker = this.#withSpare();
    this.#spare = undefined;
    try {
      const connection = await open(worker.backend);
      const { id } = await connection.info();
      const stopServing = this.#switchboard?.serve(id, connection);
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

  #withSpare(): MachineWorker {
    if (this.#spare?.failed) this.#spare = undefined;
    this.#spare ??= new MachineWorker(this.#startWorker());
    return this.#spare;
  }
}

class MachineWorker implements Disposable {
  readonly backend: SandboxBackend;
  failed = false;
  readonly #worker: Worker;
  readonly #guard = new CrashGuard();

  constructor(worker: Worker) {
    this.#worker = worker;
    this.backend = remoteBackend(worker, this.#guard);
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

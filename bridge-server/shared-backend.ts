import { SandboxError } from '../protocol/errors.ts';
import type {
  ArchiveReader,
  CreateOptions,
  HostImage,
  IntakeOptions,
  OpenOptions,
  Progress,
  SandboxBackend,
  SandboxConnection,
  SandboxInfo,
  SnapshotIntake,
  StartOptions,
} from '../protocol/sandbox.ts';
import { LentConnection } from './lent-connection.ts';
import type { OpenSandboxes } from './open-sandboxes.ts';

/**
 * A backend whose sandboxes several clients use at once: `open` hands out a connection of its own to
 * the one that is open. Closing it lets go of what that client had, and of nothing else.
 */
export class SharedBackend implements SandboxBackend {
  readonly #backend: SandboxBackend;
  readonly #sandboxes: OpenSandboxes;
  readonly #account: string;

  /**
   * `sandboxes` opens those of `backend`; whoever made it disposes of it. What a client has to itself is
   * counted to `account`.
   */
  constructor(
    backend: SandboxBackend,
    { sandboxes, account }: { readonly sandboxes: OpenSandboxes; readonly account: string },
  ) {
    this.#backend = backend;
    this.#sandboxes = sandboxes;
    this.#account = account;
  }

  async create(
    options: CreateOptions & StartOptions,
    onProgress: (progress: Progress) => void,
  ): Promise<SandboxConnection> {
    return new LentConnection(await this.#sandboxes.create(options, onProgress));
  }

  async open(
    id: string,
    options: OpenOptions & StartOptions,
    onProgress: (progress: Progress) => void,
  ): Promise<SandboxConnection> {
    const { readOnly, signal } = options;
    if (readOnly) {
      const account = this.#account;
      return new LentConnection(await this.#sandboxes.openReadOnly(id, { account, signal, onProgress }));
    }
    return new LentConnection(await this.#sandboxes.borrow(id, { signal }));
  }

  /** @throws not-found when nobody has it open */
  async connect(id: string): Promise<SandboxConnection> {
    if (!this.#sandboxes.has(id)) {
      throw new SandboxError('not-found', `Cannot connect to sandbox "${id}": it is not open`);
    }
    return new LentConnection(await this.#sandboxes.borrow(id));
  }

  exportTar(id: string, options?: { readonly at?: string }): Promise<ArchiveReader> {
    return this.#backend.exportTar(id, options);
  }

  openIntake(options: IntakeOptions): Promise<SnapshotIntake> {
    return this.#backend.openIntake(options);
  }

  list(): Promise<SandboxInfo[]> {
    return this.#backend.list();
  }

  /** @throws unsupported where nobody keeps a list of them */
  async images(): Promise<readonly HostImage[]> {
    if (this.#backend.images) return this.#backend.images();
    throw new SandboxError('unsupported', 'Cannot list the images', { details: { feature: 'images' } });
  }

  /** @throws unsupported where sandboxes have no end of life */
  async setTimeout(id: string, timeoutMs: number | undefined): Promise<SandboxInfo> {
    if (this.#backend.setTimeout) return this.#backend.setTimeout(id, timeoutMs);
    throw new SandboxError('unsupported', 'Cannot give the sandbox an end', {
      details: { feature: 'timeoutMs' },
    });
  }

  /** Deletes it, whoever has it open. */
  async delete(id: string): Promise<void> {
    await this.#sandboxes.close(id);
    await this.#backend.delete(id);
  }
}

import { SandboxError } from '../protocol/errors.ts';
import type {
  CreateOptions,
  HostImage,
  OpenOptions,
  SandboxBackend,
  SnapshotImportOptions,
  StartOptions,
} from '../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../protocol/sandbox/connection.ts';
import type { ProgressListener } from '../protocol/sandbox/progress.ts';
import type { SandboxInfo } from '../protocol/sandbox/sandbox-info.ts';
import type { ArchiveReader, SnapshotImport } from '../protocol/sandbox/transfer.ts';
import { clientConnection } from './client-connection.ts';
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
    onProgress: ProgressListener,
  ): Promise<SandboxConnection> {
    return clientConnection(await this.#sandboxes.create(options, onProgress));
  }

  async open(
    { id, readOnly, signal }: OpenOptions & StartOptions & { readonly id: string },
    onProgress: ProgressListener,
  ): Promise<SandboxConnection> {
    if (readOnly) {
      const account = this.#account;
      return clientConnection(await this.#sandboxes.openReadOnly(id, { account, signal, onProgress }));
    }
    return clientConnection(await this.#sandboxes.borrow(id, { signal, onProgress }));
  }

  /** @throws not-found when nobody has it open */
  async connect({ id }: { readonly id: string }): Promise<SandboxConnection> {
    if (!this.#sandboxes.has(id)) {
      throw new SandboxError('not-found', `Cannot connect to sandbox "${id}": it is not open`);
    }
    return clientConnection(await this.#sandboxes.borrow(id));
  }

  exportTar(ask: { readonly id: string; readonly at?: string | undefined }): Promise<ArchiveReader> {
    return this.#backend.exportTar(ask);
  }

  openImport(options: SnapshotImportOptions): Promise<SnapshotImport> {
    return this.#backend.openImport(options);
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
  async setTimeout(ask: {
    readonly id: string;
    readonly timeoutMs?: number | undefined;
  }): Promise<SandboxInfo> {
    if (this.#backend.setTimeout) return this.#backend.setTimeout(ask);
    throw new SandboxError('unsupported', 'Cannot give the sandbox an end', {
      details: { feature: 'timeoutMs' },
    });
  }

  /** @throws unsupported where a sandbox keeps its name */
  async rename(ask: { readonly id: string; readonly name: string }): Promise<SandboxInfo> {
    if (this.#backend.rename) return this.#backend.rename(ask);
    throw new SandboxError('unsupported', 'Cannot rename the sandbox', { details: { feature: 'rename' } });
  }

  /** Deletes it, whoever has it open. */
  async delete({ id }: { readonly id: string }): Promise<void> {
    await this.#sandboxes.close(id, { deletes: true });
    await this.#backend.delete({ id });
  }
}

import { SandboxError } from '../../errors.ts';
import type { CloseOptions, SandboxConnection } from '../../sandbox/connection.ts';
import type { SnapshotInfo } from '../../sandbox/history.ts';
import type { ByteStream } from '../../sandbox/network.ts';
import type { ProcessHandle } from '../../sandbox/processes.ts';
import type { SandboxInfo } from '../../sandbox/sandbox-info.ts';
import type { SnapshotImport } from '../../sandbox/transfer.ts';
import { isUnsaved } from '../../unsaved-changes.ts';

/** An import of a backend or of a connection. */
export type AnyImport = SnapshotImport<SandboxInfo | SnapshotInfo>;

/** What a session holds for its client, under the id of the request that made it. */
export type Handle = {
  /** The connection it was made through; 0 for none. It goes with it. */
  readonly parent: number;
  /** Lets go of it; called once, and again where unsaved changes keep a sandbox open (`isUnsaved`). */
  readonly release: (options?: CloseOptions) => void | Promise<void>;
} & (
  | { readonly type: 'connection'; readonly connection: SandboxConnection }
  | { readonly type: 'process'; readonly process: ProcessHandle }
  | { readonly type: 'stream'; readonly stream: ByteStream }
  | { readonly type: 'import'; readonly snapshotImport: AnyImport }
  | { readonly type: 'archive' }
  | { readonly type: 'subscription' }
);

/** Everything that a session holds; whatever is in it is let go of, one by one or with the session (H-8). */
export class HandleTable {
  readonly #handles = new Map<number, Handle>();
  readonly #limit: number;
  #closed: SandboxError | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  has(id: number): boolean {
    return this.#handles.has(id);
  }

  /** @throws limit-exceeded when the session holds as much as it may */
  checkRoom(): void {
    if (this.#handles.size < this.#limit) return;
    throw new SandboxError('limit-exceeded', `Cannot open more: this session holds ${this.#limit} handles`, {
      details: { limit: this.#limit },
    });
  }

  /**
   * Takes ownership. What comes too late, because the session or the connection it was made through is
   * closed, is let go of at once. @throws connection-lost, limit-exceeded
   */
  async add(id: number, handle: Handle): Promise<void> {
    try {
      if (this.#closed) throw this.#closed;
      if (handle.parent !== 0) this.connection(handle.parent);
      this.checkRoom();
    } catch (error) {
      await handle.release({ discard: true });
      throw error;
    }
    this.#handles.set(id, handle);
  }

  /** @throws connection-lost when it is closed, or never was */
  connection(id: number): SandboxConnection {
    const handle = this.#handles.get(id);
    if (handle?.type === 'connection') return handle.connection;
    throw new SandboxError('connection-lost', 'Cannot reach the sandbox: the connection to it is closed');
  }

  /** The connection that a handle is, or was made through; `undefined` for none. */
  connectionOf(id: number): SandboxConnection | undefined {
    const handle = this.#handles.get(id);
    if (handle === undefined) return undefined;
    return handle.type === 'connection' ? handle.connection : this.connectionOf(handle.parent);
  }

  /** A process that has not ended. */
  process(id: number): ProcessHandle | undefined {
    const handle = this.#handles.get(id);
    return handle?.type === 'process' ? handle.process : undefined;
  }

  /** @throws connection-lost when it is closed, or never was */
  stream(id: number): ByteStream {
    const handle = this.#handles.get(id);
    if (handle?.type === 'stream') return handle.stream;
    throw new SandboxError('connection-lost', 'Cannot use the byte stream: it is closed');
  }

  /** @throws not-found when it is closed or finished, or never was */
  snapshotImport(id: number): AnyImport {
    const handle = this.#handles.get(id);
    if (handle?.type === 'import') return handle.snapshotImport;
    throw new SandboxError('not-found', 'Cannot take in the snapshot: its import is closed');
  }

  /** Takes out what has ended by itself; nothing is let go of. */
  forget(id: number): void {
    this.#handles.delete(id);
  }

  /**
   * Lets go of a handle, after what was made through it, but before subscriptions, which get its last events. Rejects with the handle's own failure;
   * what unsaved changes keep open stays.
   */
  async release(id: number, options: CloseOptions = {}): Promise<void> {
    const handle = this.#handles.get(id);
    if (!handle) return;
    // Out first: nothing is made through it from now on.
    this.#handles.delete(id);
    const children = [...this.#handles].filter(([, { parent }]) => parent === id);
    const releaseAll = async (isSubscription: boolean) => {
      const some = children.filter(([, { type }]) => (type === 'subscription') === isSubscription);
      await Promise.allSettled(some.map(([child]) => this.release(child)));
    };
    await releaseAll(false);
    try {
      await handle.release(options);
    } catch (error) {
      if (!isUnsaved(error) || this.#closed) throw error;
      this.#handles.set(id, handle);
      children.length = 0;
      throw error;
    } finally {
      await releaseAll(true);
    }
  }

  /** Lets go of everything; what fails to is reported. */
  async close(reason: SandboxError, onFailure: (error: unknown) => void): Promise<void> {
    this.#closed ??= reason;
    const roots = [...this.#handles].flatMap(([id, { parent }]) => (parent === 0 ? [id] : []));
    // Nobody can reach it any more: what cannot be saved is told as lost.
    const releaseRoot = (id: number) => this.release(id, { discard: true });
    for (const result of await Promise.allSettled(roots.map(releaseRoot))) {
      if (result.status === 'rejected') onFailure(result.reason);
    }
  }
}

import { throwIfAborted } from '../protocol/abort.ts';
import { copyAncestry } from '../protocol/copy/copy-ancestry.ts';
import { SandboxError } from '../protocol/errors.ts';
import type { SandboxBackend, StartOptions } from '../protocol/sandbox/backend.ts';
import type { Change, SnapshotInfo } from '../protocol/sandbox/history.ts';
import type { OpenSandbox } from './open-sandbox.ts';

type SnapshotId = SnapshotInfo['id'];

interface SessionParts<Opened extends OpenSandbox> {
  /** What it is a session of, which stays its owner's. */
  readonly parent: OpenSandbox;
  /** A fork of it, which becomes the session's. */
  readonly sandbox: Opened;
  /** The snapshot that the fork began with. */
  readonly base: SnapshotId;
  /** Where both live. */
  readonly backend: SandboxBackend;
}

/**
 * A layer over a sandbox (I-4): a fork, with the same files at the same paths, which share their content until one
 * of the two writes. What it changes is kept, as one step of its parent, or dropped. Whoever begins one ends it by
 * either; `await using` drops what was not kept.
 */
export class Session<Opened extends OpenSandbox> implements AsyncDisposable {
  /** Where to work; closed and deleted with the session. */
  readonly sandbox: Opened;
  readonly base: SnapshotId;
  readonly #parent: OpenSandbox;
  readonly #backend: SandboxBackend;
  #dropped: Promise<void> | undefined;

  constructor({ parent, sandbox, base, backend }: SessionParts<Opened>) {
    this.sandbox = sandbox;
    this.base = base;
    this.#parent = parent;
    this.#backend = backend;
  }

  /** What differs here, by now, from what it began with. */
  changes(): Promise<Change[]> {
    return this.sandbox.diff(this.base, 'now');
  }

  /**
   * Brings the snapshots of the session into the history of its parent, takes that to the newest of them, which ends
   * what runs in it, and ends the session. `previousHead` is the way back. Refused, or aborted before its parent moves, it
   * leaves the parent where it is, and the session as it was.
   * @throws conflict when files of the parent have changed since the session began; busy, storage-full, aborted
   */
  async keep({ signal }: StartOptions = {}): Promise<{ head: SnapshotId; previousHead: SnapshotId }> {
    throwIfAborted(signal, 'Cannot keep the session');
    await this.#assertUnmoved();
    const { id } = await this.sandbox.createSnapshot({ label: 'session' });
    const into = this.#parent.connection;
    await copyAncestry(this.sandbox.connection, { snapshot: id, into, onProgress: () => {}, signal });
    throwIfAborted(signal, 'Cannot keep the session');
    await this.#assertUnmoved();
    const ends = await this.#parent.checkout(id);
    // It is kept: a copy that cannot be deleted now is in the list of sandboxes.
    await this.drop().catch(() => undefined);
    return ends;
  }

  /** Gives up what has changed here, and deletes the fork. Calling it again does nothing. */
  drop(): Promise<void> {
    this.#dropped ??= this.#drop();
    return this.#dropped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.drop();
  }

  async #drop(): Promise<void> {
    await this.sandbox.close({ discard: true }).catch(() => undefined);
    await this.#backend.delete({ id: this.sandbox.id });
  }

  async #assertUnmoved(): Promise<void> {
    const [first, ...more] = await this.#parent.diff(this.base, 'now');
    if (!first) return;
    const where = more.length > 0 ? `"${first.path}" and ${more.length} more` : `"${first.path}"`;
    const message = `Cannot keep the session: its sandbox has changed since it began (${where})`;
    throw new SandboxError('conflict', message, { details: { base: this.base, changed: more.length + 1 } });
  }
}

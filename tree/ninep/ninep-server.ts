import { errno } from '../live/errno.ts';
import type { FileTree } from '../live/file-tree.ts';
import { getattr, setattr, statfs } from './attributes.ts';
import { mkdir, mknod, symlink } from './create.ts';
import { attach, auth, flush, version } from './handshake.ts';
import { fsync, read, write } from './io.ts';
import { link, readlink, remove, rename, renameat, unlinkat } from './links.ts';
import { getlock, lock } from './lock.ts';
import { errorReplyType, type MessageName, messageType } from './message-type.ts';
import { type NinePState, restoreSession, saveSession } from './ninep-state.ts';
import { lcreate, lopen } from './open.ts';
import { createReaddir } from './readdir.ts';
import { type Handler, Session } from './session.ts';
import { clunk, walk } from './walk.ts';
import { xattrcreate, xattrwalk } from './xattrs.ts';

const headerBytes = 7;
const noTag = 0xffff;
const messageNames = Object.keys(messageType) as MessageName[];

/** How often each request came. */
export type NinePCounters = { readonly [name in MessageName]: number };

export interface NinePServerOptions {
  /**
   * Called with errors that the tree throws, which the guest sees as EIO: content that could not be loaded, or a
   * bug.
   */
  readonly onFault?: (error: unknown) => void;
}

/**
 * Serves one file tree to one 9P2000.L client, a guest's kernel. Answers every request at once, so
 * none is ever under way at a checkpoint. Trusts the client with permissions
 * (docs/explanation/ninep-server.md), and with nothing else: whatever bytes come, it answers
 * an error and stays within `ninePLimits`.
 */
export class NinePServer {
  readonly #session: Session;
  readonly #handlers: readonly (Handler | undefined)[] = handlerTable();
  readonly #counts = new Uint32Array(256);
  readonly #onFault: ((error: unknown) => void) | undefined;

  constructor(tree: FileTree, options: NinePServerOptions = {}) {
    this.#session = new Session(tree);
    this.#onFault = options.onFault;
  }

  /** Fids in use. */
  get fidCount(): number {
    return this.#session.fids.size;
  }

  /**
   * Answers one whole message. The reply is a view of a buffer that the next call overwrites; the
   * request is not kept. Never throws.
   */
  handle(request: Uint8Array): Uint8Array {
    const { reply } = this.#session;
    const tag = request.length < headerBytes ? noTag : (request[5] ?? 0) | ((request[6] ?? 0) << 8);
    const type = request[4] ?? 0;
    reply.begin();
    const result = this.#serve(request, type);
    if (result >= 0) return reply.finish(type + 1, tag);
    reply.begin();
    reply.u32(-result);
    return reply.finish(errorReplyType, tag);
  }

  /** How many requests of each type came since the server was made. */
  counters(): NinePCounters {
    const counts = messageNames.map((name) => [name, this.#counts[messageType[name]] ?? 0]);
    return Object.fromEntries(counts) as NinePCounters;
  }

  /** The fids, locks and pending attributes, as part of a memory snapshot. Good between any two messages. */
  saveState(): NinePState {
    return saveSession(this.#session);
  }

  /**
   * Restores `state`. Call it right after the tree was restored to the snapshot that was taken with it, or on a new
   * server: `LiveTree.restore` has forgotten which inodes are retained, and this retains them again, including open
   * files that were unlinked.
   * @throws RangeError when this version of the server cannot read it; the session stays as it was
   */
  restoreState(state: NinePState): void {
    restoreSession(this.#session, state);
  }

  /** Releases every fid and lock, as when the guest unmounts. */
  reset(): void {
    this.#session.reset();
  }

  #serve(request: Uint8Array, type: number): number {
    const session = this.#session;
    if (!isFramed(request, session.messageBytes)) return -errno.EPROTO;
    this.#counts[type] = (this.#counts[type] ?? 0) + 1;
    const handler = this.#handlers[type];
    if (handler === undefined) return -errno.EOPNOTSUPP;
    session.request.open(request);
    try {
      return handler(session);
    } catch (error) {
      this.#onFault?.(error);
      return -errno.EIO;
    } finally {
      session.request.close();
    }
  }
}

/** Whether the length that a message gives is the one it has, and one that was agreed on. */
function isFramed(request: Uint8Array, longestBytes: number): boolean {
  const sizeBytes =
    (request[0] ?? 0) | ((request[1] ?? 0) << 8) | ((request[2] ?? 0) << 16) | ((request[3] ?? 0) << 24);
  return sizeBytes >= headerBytes && sizeBytes <= longestBytes && sizeBytes === request.length;
}

function handlerTable(): (Handler | undefined)[] {
  const handlers: { readonly [name in MessageName]: Handler } = {
    statfs,
    lopen,
    lcreate,
    symlink,
    mknod,
    rename,
    readlink,
    getattr,
    setattr,
    xattrwalk,
    xattrcreate,
    readdir: createReaddir(),
    fsync,
    lock,
    getlock,
    link,
    mkdir,
    renameat,
    unlinkat,
    version,
    auth,
    attach,
    flush,
    walk,
    read,
    write,
    clunk,
    remove,
  };
  const table = new Array<Handler | undefined>(256).fill(undefined);
  for (const name of messageNames) table[messageType[name]] = handlers[name];
  return table;
}

import type { FileTree } from '../live/file-tree.ts';
import { ByteRangeLocks } from './byte-range-locks.ts';
import { type Fid, FidTable } from './fid-table.ts';
import { ninePLimits } from './limits.ts';
import { noneRenumbered, type Renumbering } from './renumbering.ts';
import { ReplyWriter } from './reply-writer.ts';
import { RequestReader } from './request-reader.ts';

/** The state of one client, and the reader and writer of the current message. */
export class Session {
  readonly tree: FileTree;
  readonly fids: FidTable;
  readonly locks: ByteRangeLocks = new ByteRangeLocks();
  readonly request: RequestReader = new RequestReader();
  readonly reply: ReplyWriter;
  /** The longest message of either side, as agreed in Tversion. */
  messageBytes: number = ninePLimits.initialMessageBytes;
  /** Bytes in xattr fids. */
  xattrBytesHeld = 0;
  #renumbered: Renumbering = noneRenumbered;

  constructor(tree: FileTree) {
    this.tree = tree;
    this.fids = new FidTable(tree);
    this.reply = new ReplyWriter(ninePLimits.messageBytes);
  }

  /** Inodes that the client knows by other numbers than the tree. */
  get renumbered(): Renumbering {
    return this.#renumbered;
  }

  set renumbered(renumbered: Renumbering) {
    this.#renumbered = renumbered;
    this.reply.toldNumbers = renumbered.length === 0 ? undefined : new Map(renumbered);
  }

  /** The most that Rread and Rreaddir may carry. Linux fails a reply of exactly the agreed size. */
  get payloadBytes(): number {
    return this.messageBytes - ninePLimits.ioHeaderBytes;
  }

  /** Releases `fid`, the locks taken through it and its attribute. */
  forget(fid: Fid): void {
    if (this.locks.size > 0) this.locks.releaseFid(fid.ino, fid.number);
    if (fid.xattr !== undefined) this.xattrBytesHeld -= fid.xattr.bytes.length;
    this.fids.remove(fid);
  }

  /** Releases everything, as if the client had disconnected. */
  reset(): void {
    for (const fid of this.fids.values()) this.fids.remove(fid);
    this.abandon();
  }

  /** Starts again with a tree that was restored, and has forgotten which inodes are retained. */
  abandon(): void {
    this.fids.abandon();
    this.locks.clear();
    this.xattrBytesHeld = 0;
    this.messageBytes = ninePLimits.initialMessageBytes;
    this.renumbered = noneRenumbered;
  }
}

/**
 * Serves one request type: reads the fields, checks `request.complete` before it changes anything,
 * writes the body of the reply. Answers 0 or a negative errno, upon which the body is dropped.
 */
export type Handler = (session: Session) => number;

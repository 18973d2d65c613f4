import type { FileTree } from '../live/file-tree.ts';
import { ByteRangeLocks } from './byte-range-locks.ts';
import { type Fid, FidTable } from './fid-table.ts';
import { ninePLimits } from './limits.ts';
import { ReplyWriter } from './reply-writer.ts';
import { RequestReader } from './request-reader.ts';

/** What one client has with the server, and the reader and writer of the message at hand. */
export class Session {
  readonly tree: FileTree;
  readonly fids: FidTable;
  readonly locks: ByteRangeLocks = new ByteRangeLocks();
  readonly request: RequestReader = new RequestReader();
  readonly reply: ReplyWriter;
  /** No message of either side is longer; what was agreed on in Tversion. */
  messageBytes: number = ninePLimits.initialMessageBytes;
  /** Bytes that xattr fids hold. */
  xattrBytesHeld = 0;

  constructor(tree: FileTree) {
    this.tree = tree;
    this.fids = new FidTable(tree);
    this.reply = new ReplyWriter(ninePLimits.messageBytes);
  }

  /** The most that Rread and Rreaddir may carry. Linux fails a reply of exactly the agreed size. */
  get payloadBytes(): number {
    return this.messageBytes - ninePLimits.ioHeaderBytes;
  }

  /** Gives up `fid`, the locks taken through it and the attribute it stands for. */
  forget(fid: Fid): void {
    if (this.locks.size > 0) this.locks.releaseFid(fid.ino, fid.number);
    if (fid.xattr !== undefined) this.xattrBytesHeld -= fid.xattr.bytes.length;
    this.fids.remove(fid);
  }

  /** Gives up everything, as if the client had gone. */
  reset(): void {
    for (const fid of this.fids.values()) this.fids.remove(fid);
    this.abandon();
  }

  /** Starts anew with a tree that has been put back, and so has forgotten whom it retained inodes for. */
  abandon(): void {
    this.fids.abandon();
    this.locks.clear();
    this.xattrBytesHeld = 0;
    this.messageBytes = ninePLimits.initialMessageBytes;
  }
}

/**
 * Serves one request type: reads the fields, checks `request.complete` before it changes anything,
 * writes the body of the reply. Answers 0 or a negative errno, upon which the body is dropped.
 */
export type Handler = (session: Session) => number;

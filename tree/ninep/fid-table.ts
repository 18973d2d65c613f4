import type { ByteString } from '../content/byte-string.ts';
import type { FileTree, Ino } from '../live/file-tree.ts';
import { ninePLimits } from './limits.ts';
import type { XattrHandle } from './xattr-handle.ts';

/** The flags of a fid that was walked to and not opened. */
export const notOpen = -1;

const spareFids = 1_024;

/** A client's handle on one file. The table owns it, and reuses it after it was removed. */
export class Fid {
  /** The client's number for it. */
  number = 0;
  ino: Ino = 0;
  /** The user of the attach: owner of files that are created through it. */
  uid = 0;
  /** The flags it was opened with, or `notOpen`. */
  flags: number = notOpen;
  /** The directory and the name it was reached by; 0 and '' where that is not known. They may be stale. */
  parent: Ino = 0;
  name: ByteString = '';
  /** Set when the fid stands for an extended attribute of the file. */
  xattr: XattrHandle | undefined = undefined;

  get isOpen(): boolean {
    return this.flags !== notOpen;
  }
}

/** The fids of one session, each of which keeps its inode alive, `ninePLimits.fids` at most. */
export class FidTable {
  readonly #tree: FileTree;
  readonly #fids = new Map<number, Fid>();
  readonly #spare: Fid[] = [];

  constructor(tree: FileTree) {
    this.#tree = tree;
  }

  get size(): number {
    return this.#fids.size;
  }

  get(number: number): Fid | undefined {
    return this.#fids.get(number);
  }

  has(number: number): boolean {
    return this.#fids.has(number);
  }

  values(): Iterable<Fid> {
    return this.#fids.values();
  }

  /** A new fid on `ino`, or `undefined` when there are too many. `number` is free, the caller has checked. */
  add(number: number, ino: Ino, uid: number): Fid | undefined {
    if (this.#fids.size >= ninePLimits.fids) return undefined;
    const fid = this.#spare.pop() ?? new Fid();
    fid.number = number;
    fid.ino = ino;
    fid.uid = uid;
    this.#fids.set(number, fid);
    this.#tree.retain(ino);
    return fid;
  }

  /** Points `fid` at another inode. */
  move(fid: Fid, ino: Ino): void {
    this.#tree.retain(ino);
    this.#tree.release(fid.ino);
    fid.ino = ino;
  }

  /** Forgets every fid, without releasing inodes in the tree. */
  abandon(): void {
    this.#fids.clear();
  }

  remove(fid: Fid): void {
    this.#fids.delete(fid.number);
    this.#tree.release(fid.ino);
    fid.flags = notOpen;
    fid.parent = 0;
    fid.name = '';
    fid.xattr = undefined;
    if (this.#spare.length < spareFids) this.#spare.push(fid);
  }
}

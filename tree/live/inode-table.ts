import { nextEpoch } from '../content/epoch.ts';
import { Radix } from '../content/radix.ts';
import { treeLimits } from '../limits.ts';
import type { Ino, NewInode } from './file-tree.ts';
import { Inode } from './inode.ts';
import type { Link } from './link-list.ts';
import type { TreeSnapshot } from './tree-snapshot.ts';

/** The inodes of a live tree, with the counts that go with them. The only place that copies an inode. */
export class InodeTable {
  #epoch: number = nextEpoch();
  #inodes: Radix<Inode> = new Radix();
  #unlinked: Radix<true> = new Radix();
  #hardLinked: Radix<true> = new Radix();
  #nextIno: Ino = 1;
  usedBytes = 0;
  usedInodes = 0;
  depthBound = 0;

  get epoch(): number {
    return this.#epoch;
  }

  get(ino: Ino): Inode | undefined {
    return this.#inodes.get(ino);
  }

  /** The inode, ready to be changed: a copy if a snapshot shares the current one. */
  own(inode: Inode): Inode {
    if (inode.epoch === this.#epoch) return inode;
    const copy = inode.copy(this.#epoch);
    this.#inodes.set(copy.ino, copy, this.#epoch);
    return copy;
  }

  /** A fresh inode, or `undefined` when inode numbers have run out. */
  add(from: NewInode & { readonly link: Link }): Inode | undefined {
    if (this.#nextIno > treeLimits.inodeNumber) return undefined;
    const inode = Inode.create(this.#nextIno, this.#epoch, from);
    this.#inodes.set(inode.ino, inode, this.#epoch);
    this.#nextIno += 1;
    this.usedInodes += 1;
    return inode;
  }

  /** Updates the counts after the number of an owned inode's names has changed. */
  noteLinks(inode: Inode): void {
    mark(this.#hardLinked, inode.ino, { on: inode.otherLinks.length > 0, epoch: this.#epoch });
    mark(this.#unlinked, inode.ino, { on: inode.nlink === 0, epoch: this.#epoch });
  }

  /** Forgets an inode that has no name. */
  drop(inode: Inode): void {
    this.usedBytes -= inode.accountedBytes;
    this.usedInodes -= 1;
    this.#unlinked.delete(inode.ino, this.#epoch);
    this.#inodes.delete(inode.ino, this.#epoch);
  }

  /** Removed inodes that are still open. */
  unlinked(): Ino[] {
    const found: Ino[] = [];
    this.#unlinked.forEach((_, ino) => void found.push(ino));
    return found;
  }

  /** O(1): from here on everything is shared, and a change copies what it touches. */
  snapshot(): TreeSnapshot {
    this.#epoch = nextEpoch();
    return {
      inodes: this.#inodes.clone(),
      unlinked: this.#unlinked.clone(),
      hardLinked: this.#hardLinked.clone(),
      nextIno: this.#nextIno,
      usedBytes: this.usedBytes,
      usedInodes: this.usedInodes,
      depthBound: this.depthBound,
    };
  }

  restore(snapshot: TreeSnapshot): void {
    this.#epoch = nextEpoch();
    this.#inodes = snapshot.inodes.clone();
    this.#unlinked = snapshot.unlinked.clone();
    this.#hardLinked = snapshot.hardLinked.clone();
    this.#nextIno = snapshot.nextIno;
    this.usedBytes = snapshot.usedBytes;
    this.usedInodes = snapshot.usedInodes;
    this.depthBound = snapshot.depthBound;
  }
}

function mark(set: Radix<true>, ino: Ino, to: { on: boolean; epoch: number }): void {
  if (!to.on) set.delete(ino, to.epoch);
  else if (set.get(ino) === undefined) set.set(ino, true, to.epoch);
}

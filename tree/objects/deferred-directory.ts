import type { ContentSource } from '../content/content-source.ts';
import type { ObjectId } from '../content/object-id.ts';
import { fanOut } from '../content/radix.ts';
import { DirectoryMap, type NamedIno } from '../live/directory-map.ts';
import type { Inode } from '../live/inode.ts';
import { entryInode } from './entry-inode.ts';
import type { DirectorySize, KnownDirectories } from './known-directories.ts';
import { readSealedDirectory } from './read-sealed-directory.ts';
import type { SealedDirectory, SealedGroup } from './sealed-tree.ts';
import type { TreeEntry } from './tree-entry.ts';
import { type LeafMaker, leavesOf, type TreeLeaves } from './tree-leaves.ts';

/** The state that the deferred directories of one tree share. */
export interface DeferredTree {
  readonly source: ContentSource;
  readonly known: KnownDirectories;
  readonly leaves: TreeLeaves;
}

/** Its content, once it was loaded. */
interface ReadDirectory {
  readonly names: readonly NamedIno[];
  readonly groups: readonly SealedGroup[];
  readonly below: readonly DeferredDirectory[];
}

/**
 * A directory of a loaded tree that is read on first access, by one of its names or by the number of an inode in
 * it. All trees that share it see the same inodes, whichever accesses it first.
 */
export class DeferredDirectory implements SealedDirectory, LeafMaker {
  readonly id: ObjectId;
  readonly #tree: DeferredTree;
  readonly #inode: Inode;
  readonly #size: DirectorySize;
  /** The leaves of its names come first. */
  readonly #firstLeaf: number;
  #read: ReadDirectory | undefined;

  constructor(
    tree: DeferredTree,
    at: {
      readonly id: ObjectId;
      readonly inode: Inode;
      readonly size: DirectorySize;
      readonly firstLeaf: number;
    },
  ) {
    this.id = at.id;
    this.#tree = tree;
    this.#inode = at.inode;
    this.#size = at.size;
    this.#firstLeaf = at.firstLeaf;
    at.inode.nlink += at.size.directories;
    at.inode.entries = DirectoryMap.deferred(() => this.#readOnce().names, {
      size: at.size.names,
      epoch: tree.leaves.epoch,
    });
  }

  get groups(): readonly SealedGroup[] {
    return this.#readOnce().groups;
  }

  makeLeaf(leaf: number): void {
    const { below } = this.#readOnce();
    const holder = below.find((directory) => directory.#hasLeaf(leaf));
    if (holder) holder.makeLeaf(leaf);
  }

  #hasLeaf(leaf: number): boolean {
    return leaf >= this.#firstLeaf && leaf < this.#firstLeaf + this.#size.leaves;
  }

  #readOnce(): ReadDirectory {
    this.#read ??= this.#readNow();
    return this.#read;
  }

  #readNow(): ReadDirectory {
    const { source, leaves } = this.#tree;
    const { entries, groups } = readSealedDirectory(source, this.id);
    if (entries.length !== this.#size.names) throw doesNotFit(this.id);
    const names: NamedIno[] = [];
    const below: DeferredDirectory[] = [];
    const ownLeaves = leavesOf(entries.length);
    let leaf = this.#firstLeaf + ownLeaves;
    for (const entry of entries) {
      const ino = this.#firstLeaf * fanOut + names.length;
      const link = { parent: this.#inode.ino, name: entry.name };
      const inode = entryInode(entry, { ino, epoch: leaves.epoch, link });
      const directory = this.#defer(entry, inode, leaf);
      leaves.put(inode);
      if (directory) {
        leaves.putDirectory(ino, directory);
        below.push(directory);
        leaf += directory.#size.leaves;
      }
      names.push({ name: entry.name, ino });
    }
    if (leaf !== this.#firstLeaf + this.#size.leaves) throw doesNotFit(this.id);
    leaves.settle(this.#firstLeaf, ownLeaves);
    return { names, groups, below };
  }

  #defer({ directory: id }: TreeEntry, inode: Inode, firstLeaf: number): DeferredDirectory | undefined {
    if (!id) return undefined;
    const size = this.#tree.known.get(id);
    if (!size) throw doesNotFit(this.id);
    return new DeferredDirectory(this.#tree, { id, inode, size, firstLeaf });
  }
}

function doesNotFit(id: ObjectId): RangeError {
  return new RangeError(`Cannot load directory ${id}: its size is not the one that was recorded`);
}

import type { ByteString } from '../content/byte-string.ts';
import { Radix } from '../content/radix.ts';
import { DirectoryMap, directoryChanges } from '../live/directory-map.ts';
import type { Ino } from '../live/file-tree.ts';
import type { Inode } from '../live/inode.ts';
import type { SlotChange } from '../live/radix-changes.ts';
import { radixChanges } from '../live/radix-changes.ts';
import type { TreeSnapshot } from '../live/tree-snapshot.ts';
import { rootIno } from '../live/tree-snapshot.ts';
import type { SealedTree } from './sealed-tree.ts';

/** The objects that have to be written because something changed. */
export interface SealPlan {
  /** For each directory to write again, the names whose entries may differ; deepest directories first. */
  readonly directories: readonly { readonly inode: Inode; readonly names: ReadonlySet<ByteString> }[];
  /** Inode numbers that named a directory and no longer do. */
  readonly goneDirectories: readonly Ino[];
  /** Whether the list of hard links may differ. */
  readonly linksChanged: boolean;
  /** Trie nodes visited, for tests of H-3. */
  readonly visitedNodes: number;
}

const nothing: Radix<Inode> = new Radix();

/** Compares a snapshot with the last sealed one. Costs what changed, and the directories above it. */
export function planSeal(snapshot: TreeSnapshot, previous: SealedTree | undefined): SealPlan {
  const { changes, visited } = radixChanges(previous?.snapshot.inodes ?? nothing, snapshot.inodes);
  const dirty = new Map<Ino, Set<ByteString>>();
  const namesOf = (ino: Ino): Set<ByteString> => {
    const names = dirty.get(ino) ?? new Set();
    dirty.set(ino, names);
    return names;
  };
  namesOf(rootIno);
  for (const { before, after } of changes) {
    if (after === undefined || after.nlink === 0) continue;
    if (after.ino !== rootIno) {
      for (const link of [after.link, ...after.otherLinks]) namesOf(link.parent).add(link.name);
    }
    if (after.entries === undefined) continue;
    const names = namesOf(after.ino);
    const known = previous?.directories.get(after.ino) && before?.entries;
    for (const name of directoryChanges(known ?? new DirectoryMap(), after.entries)) names.add(name);
  }
  return {
    directories: deepestFirst(snapshot, dirty, namesOf),
    goneDirectories: changes.filter(isGoneDirectory).map((change) => change.index),
    linksChanged: changes.some(affectsLinks),
    visitedNodes: visited,
  };
}

/** Adds the directories above the dirty ones, and sorts them all. */
function deepestFirst(
  snapshot: TreeSnapshot,
  dirty: Map<Ino, Set<ByteString>>,
  namesOf: (ino: Ino) => Set<ByteString>,
): { inode: Inode; names: ReadonlySet<ByteString> }[] {
  const depths = new Map<Ino, number>([[rootIno, 0]]);
  const depthOf = (inode: Inode): number => {
    const parent = inode.ino === rootIno ? undefined : snapshot.inodes.get(inode.parent);
    const depth = depths.get(inode.ino) ?? (parent ? depthOf(parent) + 1 : 0);
    depths.set(inode.ino, depth);
    return depth;
  };
  // The loop also visits directories that it adds, and so reaches the root.
  for (const ino of dirty.keys()) {
    const inode = snapshot.inodes.get(ino);
    if (inode && ino !== rootIno) namesOf(inode.parent).add(inode.link.name);
  }
  const found: { inode: Inode; names: ReadonlySet<ByteString>; depth: number }[] = [];
  for (const [ino, names] of dirty) {
    const inode = snapshot.inodes.get(ino);
    if (inode) found.push({ inode, names, depth: depthOf(inode) });
  }
  return found.sort((a, b) => b.depth - a.depth);
}

function isGoneDirectory({ before, after }: SlotChange<Inode>): boolean {
  return before?.entries !== undefined && (after?.entries === undefined || after.nlink === 0);
}

/** The path of a hard link changes with the link itself, or when a directory moves. */
function affectsLinks({ before, after }: SlotChange<Inode>): boolean {
  if ((before?.otherLinks.length ?? 0) > 0 || (after?.otherLinks.length ?? 0) > 0) return true;
  return before?.entries !== undefined && before.link !== after?.link;
}

import type { ByteString } from '../../../tree/content/byte-string.ts';
import { isDirectory } from '../../../tree/live/file-mode.ts';
import { type DiskNode, joinPath } from '../disk-node.ts';
import type { DiskChange } from '../scan/scan-folder.ts';

/** What to do with the names of files that have several. */
export interface ChangedNames {
  /** Names of a file that another one is read for, or none need be: they are linked once that is there. */
  readonly others: ReadonlySet<DiskChange>;
  /** By the inode on disk, a name of a file that is as it was, while others of it have come. */
  readonly kept: ReadonlyMap<bigint, ByteString>;
}

/** Sorts the names of changed files; `root` is what is on the disk now, not all of which a tree need have. */
export function sortNames(
  changes: readonly DiskChange[],
  { root, isInTree }: { readonly root: DiskNode; readonly isInTree: (path: ByteString) => boolean },
): ChangedNames {
  const firsts = new Map<bigint, DiskChange>();
  const counts = new Map<bigint, number>();
  const several = changes.filter(({ now }) => now && hasSeveral(now));
  for (const change of several) {
    const ino = inodeOf(change);
    const first = firsts.get(ino);
    counts.set(ino, (counts.get(ino) ?? 0) + 1);
    // A name that was this file's before saves reading it anew.
    if (first === undefined || (isKnown(change) && !isKnown(first))) firsts.set(ino, change);
  }
  const wanted = new Set<bigint>();
  for (const [ino, { now }] of firsts) if ((counts.get(ino) ?? 0) < (now?.stat.nlink ?? 0)) wanted.add(ino);
  const changed = new Set(several.map(({ path }) => path));
  const kept = findUnchanged(root, { wanted, isUsable: (path) => !changed.has(path) && isInTree(path) });
  const others = several.filter((change) => {
    const ino = inodeOf(change);
    return kept.has(ino) || firsts.get(ino) !== change;
  });
  return { others: new Set(others), kept };
}

/** A directory that is renamed takes names along whose files have others elsewhere, and changes none of them. */
function findUnchanged(
  root: DiskNode,
  {
    wanted,
    isUsable,
  }: { readonly wanted: ReadonlySet<bigint>; readonly isUsable: (path: ByteString) => boolean },
): Map<bigint, ByteString> {
  const found = new Map<bigint, ByteString>();
  const directories: [ByteString, DiskNode][] = wanted.size > 0 ? [['', root]] : [];
  for (let next = directories.pop(); next && found.size < wanted.size; next = directories.pop()) {
    const [path, directory] = next;
    for (const [name, node] of directory.children ?? []) {
      const at = joinPath(path, name);
      if (node.children) directories.push([at, node]);
      else if (wanted.has(node.stat.ino) && hasSeveral(node) && isUsable(at)) found.set(node.stat.ino, at);
    }
  }
  return found;
}

function hasSeveral({ stat }: DiskNode): boolean {
  return stat.nlink > 1 && !isDirectory(stat.mode);
}

function isKnown({ now, before }: DiskChange): boolean {
  return before !== undefined && before.stat.ino === now?.stat.ino;
}

function inodeOf({ now }: DiskChange): bigint {
  return now?.stat.ino ?? 0n;
}

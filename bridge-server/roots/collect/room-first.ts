import { isFile } from '../../../tree/live/file-mode.ts';
import type { LiveTree } from '../../../tree/live/live-tree.ts';
import type { DiskChange } from '../scan/scan-folder.ts';
import { TreeUpdater } from './tree-updater.ts';

/**
 * The same changes with those first that give room: a tree that is full, of files that have been deleted since, must
 * not refuse what came after them, or it would never be right again. Where there may not be room for all, large files
 * come last: a checkout keeps what came before.
 */
export function roomFirst(changes: readonly DiskChange[], tree: LiveTree): readonly DiskChange[] {
  const places = new TreeUpdater(tree);
  const removed: DiskChange[] = [];
  const shrunk: DiskChange[] = [];
  const others: DiskChange[] = [];
  for (const change of changes) {
    const { now, path } = change;
    if (now === undefined) removed.push(change);
    else if (isFile(now.stat.mode) && now.stat.sizeBytes < sizeIn(tree, places.find(path)))
      shrunk.push(change);
    else others.push(change);
  }
  return [...removed, ...shrunk, ...smallFirst(others, tree)];
}

/** Directories come before what is in them as it is, and other files by their sizes. */
function smallFirst(changes: readonly DiskChange[], tree: LiveTree): readonly DiskChange[] {
  const { usedBytes, totalBytes } = tree.usage();
  const sizeOf = ({ now }: DiskChange) => (now && isFile(now.stat.mode) ? now.stat.sizeBytes : 0);
  const wanted = changes.reduce((sum, change) => sum + sizeOf(change), 0);
  if (wanted <= totalBytes - usedBytes) return changes;
  return changes.toSorted((one, other) => sizeOf(one) - sizeOf(other));
}

/** Of a file; anything else has none. */
function sizeIn(tree: LiveTree, ino: number): number {
  const inode = ino === 0 ? undefined : tree.stat(ino);
  return inode && isFile(inode.mode) ? inode.sizeBytes : 0;
}

import type { ByteString } from '../../../tree/content/byte-string.ts';
import { isFile } from '../../../tree/live/file-mode.ts';
import type { LiveTree } from '../../../tree/live/live-tree.ts';
import type { DiskChange } from '../scan/scan-folder.ts';
import { TreeUpdater } from './tree-updater.ts';

/**
 * The same changes with those first that give room: a tree that is full, of files that have been deleted since, must
 * not refuse what came after them, or it would never be right again. Where there may not be room for all, large files
 * come last: a checkout keeps what came before. With `hot`, files come after what is none, first those that are hot, and
 * of the others the small ones, as most can be read in little time.
 */
export function readOrder(
  changes: readonly DiskChange[],
  { tree, hot }: { readonly tree: LiveTree; readonly hot: ReadonlySet<ByteString> | undefined },
): readonly DiskChange[] {
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
  if (hot === undefined) return [...removed, ...shrunk, ...smallFirst(others, tree)];
  const files = others.filter(({ now }) => isFile(now?.stat.mode ?? 0)).sort(bySize);
  const rest = others.filter(({ now }) => !isFile(now?.stat.mode ?? 0));
  const isHot = ({ path }: DiskChange) => hot.has(path);
  return [...removed, ...shrunk, ...rest, ...files.filter(isHot), ...files.filter((file) => !isHot(file))];
}

/** Directories come before what is in them as it is, and other files by their sizes. */
function smallFirst(changes: readonly DiskChange[], tree: LiveTree): readonly DiskChange[] {
  const { usedBytes, totalBytes } = tree.usage();
  const wanted = changes.reduce((sum, change) => sum + sizeNow(change), 0);
  return wanted <= totalBytes - usedBytes ? changes : changes.toSorted(bySize);
}

function bySize(one: DiskChange, other: DiskChange): number {
  return sizeNow(one) - sizeNow(other);
}

function sizeNow({ now }: DiskChange): number {
  return now && isFile(now.stat.mode) ? now.stat.sizeBytes : 0;
}

/** Of a file; anything else has none. */
function sizeIn(tree: LiveTree, ino: number): number {
  const inode = ino === 0 ? undefined : tree.stat(ino);
  return inode && isFile(inode.mode) ? inode.sizeBytes : 0;
}

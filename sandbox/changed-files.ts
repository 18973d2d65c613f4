import { limits } from '../protocol/limits.ts';
import type { ChangedFiles } from '../protocol/sandbox.ts';
import type { ChangeSummary } from '../tree/history/snapshot-record.ts';
import { toDisplayText } from '../tree/live/byte-string.ts';
import { isDirectory } from '../tree/live/file-mode.ts';
import type { LiveTree } from '../tree/live/live-tree.ts';
import { pathsOf } from '../tree/live/paths.ts';
import type { TreeSnapshot } from '../tree/live/tree-snapshot.ts';

/**
 * Which files came, changed and went in `tree` since `mark`, by their paths; each list is cut at
 * `limits.snapshotPaths`. Costs what changed. A directory counts when it came or went, not when
 * its entries did; a file that came and went in between does not count.
 */
export function changedFiles(tree: LiveTree, mark: TreeSnapshot): ChangedFiles {
  const created: string[] = [];
  const modified: string[] = [];
  const deleted: string[] = [];
  const before = (ino: number) => mark.inodes.get(ino);
  const now = (ino: number) => tree.inode(ino);
  for (const ino of tree.changedSince(mark)) {
    const [oldPath] = pathsOf(ino, before);
    const [newPath] = pathsOf(ino, now);
    if (newPath === oldPath) {
      const inode = now(ino);
      if (newPath !== undefined && inode && !isDirectory(inode.mode)) modified.push(newPath);
      continue;
    }
    if (oldPath !== undefined) deleted.push(oldPath);
    if (newPath !== undefined) created.push(newPath);
  }
  return mergeReplaced({ created, modified, deleted });
}

/** How many they are, as far as `changedFiles` lists them, and some of their paths. */
export function changeSummary(tree: LiveTree, mark: TreeSnapshot): ChangeSummary {
  const { created, modified, deleted } = changedFiles(tree, mark);
  return {
    created: created.length,
    modified: modified.length,
    deleted: deleted.length,
    paths: [...created, ...modified, ...deleted].slice(0, limits.snapshotPaths),
  };
}

/** A path that went and came (`mv new file`, an editor's save) was modified. */
function mergeReplaced(files: { created: string[]; modified: string[]; deleted: string[] }): ChangedFiles {
  const gone = new Set(files.deleted);
  const replaced = new Set(files.created.filter((path) => gone.has(path)));
  const list = (paths: string[]) => paths.map(toDisplayText).sort().slice(0, limits.snapshotPaths);
  return {
    created: list(files.created.filter((path) => !replaced.has(path))),
    modified: list([...files.modified, ...replaced]),
    deleted: list(files.deleted.filter((path) => !replaced.has(path))),
  };
}

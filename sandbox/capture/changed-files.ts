import { limits } from '../../protocol/limits.ts';
import type { ChangedFiles } from '../../protocol/sandbox/processes.ts';
import { type ByteString, toDisplayText } from '../../tree/content/byte-string.ts';
import { historyLimits } from '../../tree/history/limits.ts';
import type { ChangeSummary } from '../../tree/history/snapshot-record.ts';
import { isDirectory } from '../../tree/live/file-mode.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import { pathsOf } from '../../tree/live/paths.ts';
import type { TreeSnapshot } from '../../tree/live/tree-snapshot.ts';

const encoder = new TextEncoder();

interface ChangedPaths {
  readonly created: readonly string[];
  readonly modified: readonly string[];
  readonly deleted: readonly string[];
  /** Those of them that are directories. */
  readonly directories: ReadonlySet<string>;
}

/**
 * Which files came, changed and went in `tree` since `mark`, by their paths; each list is cut at
 * `limits.snapshotPaths`. Costs what changed. A directory is listed when it came or went, not when
 * its entries did; a file that came and went in between is not.
 */
export function changedFiles(tree: LiveTree, mark: TreeSnapshot): ChangedFiles {
  const { created, modified, deleted } = changedPaths(tree, mark);
  const cut = (paths: readonly string[]) => paths.slice(0, limits.snapshotPaths);
  return { created: cut(created), modified: cut(modified), deleted: cut(deleted) };
}

/** How many files they are, directories not counted, and some of the paths that `changedFiles` lists. */
export function changeSummary(tree: LiveTree, mark: TreeSnapshot): ChangeSummary {
  const { created, modified, deleted, directories } = changedPaths(tree, mark);
  const count = (paths: readonly string[]) => paths.filter((path) => !directories.has(path)).length;
  return {
    created: count(created),
    modified: count(modified),
    deleted: count(deleted),
    paths: [...created, ...modified, ...deleted].slice(0, limits.snapshotPaths),
  };
}

function changedPaths(tree: LiveTree, mark: TreeSnapshot): ChangedPaths {
  const created: string[] = [];
  const modified: string[] = [];
  const deleted: string[] = [];
  const directories = new Set<string>();
  const before = (ino: number) => mark.inodes.get(ino);
  const now = (ino: number) => tree.inode(ino);
  for (const ino of tree.changedSince(mark)) {
    const oldPath = shownPath(ino, before);
    const newPath = shownPath(ino, now);
    const mode = (now(ino) ?? before(ino))?.mode;
    if (mode !== undefined && isDirectory(mode)) {
      for (const path of [oldPath, newPath]) if (path !== undefined) directories.add(path);
      if (oldPath === newPath) continue;
    }
    if (newPath === oldPath) {
      if (newPath !== undefined) modified.push(newPath);
      continue;
    }
    if (oldPath !== undefined) deleted.push(oldPath);
    if (newPath !== undefined) created.push(newPath);
  }
  return { ...mergeReplaced({ created, modified, deleted }), directories };
}

function shownPath(ino: number, look: Parameters<typeof pathsOf>[1]): string | undefined {
  const [path] = pathsOf(ino, look);
  return path === undefined ? undefined : describePath(path);
}

/** A path for people, cut where a record has no room for it: a byte that is not UTF-8 takes three. */
export function describePath(path: ByteString): string {
  const text = toDisplayText(path);
  const ending = '…';
  const room = new Uint8Array(historyLimits.textBytes);
  if (path.length * 3 <= room.length || encoder.encodeInto(text, room).read === text.length) return text;
  const { read } = encoder.encodeInto(text, room.subarray(encoder.encode(ending).length));
  return text.slice(0, read) + ending;
}

/** A path that went and came (`mv new file`, an editor's save) was modified. */
function mergeReplaced(files: { created: string[]; modified: string[]; deleted: string[] }): ChangedFiles {
  const gone = new Set(files.deleted);
  const replaced = new Set(files.created.filter((path) => gone.has(path)));
  return {
    created: files.created.filter((path) => !replaced.has(path)).sort(),
    modified: [...files.modified, ...replaced].sort(),
    deleted: files.deleted.filter((path) => !replaced.has(path)).sort(),
  };
}

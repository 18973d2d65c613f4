import type { TreeChange } from '../../tree/objects/diff-trees.ts';
import { sameMetadata, type TreeEntry } from '../../tree/objects/tree-entry.ts';

/** Swap files of vim and nano; lock and autosave files of Emacs. */
const editorFile = /\/(?:\.[^/]+\.sw[a-p]|\.#[^/]+|#[^/]+#)$/;
/** Where programs keep their own, below a home: `top` and `nano` make directories there when they are started. */
const ownDirectory = /\/\.(?:config|local|cache)(?:\/|$)/;

/**
 * Whether all that changed comes and goes by itself, so that a snapshot of it would tell nobody anything: files that
 * editors have while they run, directories without files that programs make for themselves, and the times of directories
 * in which something was made and removed. What has gone since the last snapshot is a change like any other: else that
 * snapshot would keep an editor's file for ever.
 */
export function isPassing(changes: readonly TreeChange[]): boolean {
  return changes.every(({ type, path, before, after }) => {
    if (type === 'created' && after?.directory !== undefined) return ownDirectory.test(path);
    if (type === 'created' || type === 'modified') return editorFile.test(path);
    return type === 'metadata' && before !== undefined && after !== undefined && isTimeAlone(before, after);
  });
}

function isTimeAlone(before: TreeEntry, after: TreeEntry): boolean {
  const { mtimeSeconds, mtimeNanoseconds } = before;
  return (
    after.directory !== undefined &&
    after.directory === before.directory &&
    sameMetadata(before, { ...after, mtimeSeconds, mtimeNanoseconds })
  );
}

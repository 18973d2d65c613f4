import { chmodSync, mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { SandboxError } from '../../../protocol/errors.ts';
import { type ByteString, toDisplayText } from '../../../tree/content/byte-string.ts';
import { isDirectory } from '../../../tree/live/file-mode.ts';
import type { Ino } from '../../../tree/live/file-tree.ts';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import type { TreeSnapshot } from '../../../tree/live/tree-snapshot.ts';
import { hostPath, looksSame, statOf } from './folder-entry.ts';
import { replaceEntry, setMetadata } from './replace-entry.ts';

/** One change of the folder, in the order in which they are made. */
export interface WriteStep {
  readonly type: 'remove' | 'write' | 'metadata';
  readonly path: ByteString;
  /** What was at the path, in the tree of before; 0 where nothing was. */
  readonly beforeIno: Ino;
  /** What comes there, in the tree that is written; 0 where it is removed. */
  readonly ino: Ino;
}

interface TakeBackOptions {
  readonly folder: ByteString;
  readonly before: TreeSnapshot;
  /** Those that were made, in their order. */
  readonly steps: readonly WriteStep[];
}

/** Puts a folder back, and `tree` to `before`, after a write that failed; answers that failure, and what has become of the folder. */
export function takeBack(tree: LiveTree, options: TakeBackOptions, cause: SandboxError): SandboxError {
  const { folder, before, steps } = options;
  const written = LiveTree.from(tree.snapshot(), { readOnly: true });
  tree.restore(before);
  const left: ByteString[] = [];
  for (const step of steps.toReversed()) {
    try {
      takeBackStep({ tree, written }, step, `${folder}/${step.path}`);
    } catch {
      left.push(step.path);
    }
  }
  const paths = left.map(toDisplayText);
  const [first] = paths;
  const result =
    first === undefined
      ? 'What was changed until then was put back'
      : `${paths.length} paths could not be put back, such as /${first}: they are as the snapshot has them, or as somebody wrote them meanwhile`;
  return new SandboxError(cause.code, `${cause.message}. ${result}`, {
    cause,
    details: { notPutBack: paths.slice(0, 100) },
  });
}

/** @throws conflict where somebody has changed it since; as the disk fails */
function takeBackStep(
  { tree, written }: { readonly tree: LiveTree; readonly written: LiveTree },
  { type, beforeIno, ino }: WriteStep,
  path: ByteString,
): void {
  const [old, made] = [tree.stat(beforeIno), written.stat(ino)];
  const at = hostPath(path);
  const stat = statOf(path);
  if (type === 'remove') {
    if (!old) return;
    if (isDirectory(old.mode)) mkdirSync(at, { recursive: true });
    else if (stat) throw new SandboxError('conflict', 'Something else is there');
    else replaceEntry(tree, path, beforeIno);
    if (isDirectory(old.mode)) setMetadata(at, old);
    return;
  }
  if (!made || !stat || !(isDirectory(made.mode) ? stat.isDirectory() : looksSame(stat, made))) {
    throw new SandboxError('conflict', 'It is not what was written there');
  }
  const isReplaced = old !== undefined && old.mode >> 12 === made.mode >> 12;
  if (type === 'metadata') {
    if (isReplaced) setMetadata(at, old);
    // So that what is in it can be removed.
    else chmodSync(at, 0o700);
  } else if (isReplaced) replaceEntry(tree, path, beforeIno);
  else if (isDirectory(made.mode)) rmdirSync(at);
  else rmSync(at);
}

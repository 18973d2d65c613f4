import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';

/** Files that a message names. */
const namedPaths = 5;
const remedy =
  'Take the other side over into these files by hand and commit, or merge at a prompt of a machine.';

/** Both sides have changed these files; the merge was given up. None are named where directories are in the way of files. */
export function mergeConflict(what: string, conflicting: readonly string[]): SandboxError {
  const paths = [...conflicting].sort();
  const named = paths.slice(0, namedPaths).map((path) => JSON.stringify(path));
  const more = paths.length > namedPaths ? ` and ${paths.length - namedPaths} more` : '';
  const files = named.length === 0 ? 'the same places' : `${named.join(', ')}${more}`;
  return new SandboxError('conflict', `${what}: both sides have changed ${files}`, {
    details: { paths: paths.slice(0, limits.gitConflictPaths), remedy },
  });
}

/** The subject of a merge's commit, as git has it. It names the branch that is merged into, unless that is the usual one. */
export function mergeMessage(merged: string, into: string | undefined): string {
  const isUsual = into === 'main' || into === 'master';
  return `Merge ${merged}${isUsual ? '' : ` into ${into ?? 'HEAD'}`}`;
}

import { SandboxError } from '../../../protocol/errors.ts';
import type { TreeFiles } from '../../../shell/files/tree-files.ts';

/** Code points that some file systems ignore in names (`is_hfs_dotgit`). */
const ignored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
/** What some file systems take for `.git`: other cases, dots and blanks at its end, its short name, a stream of it. */
const gitAlias = /^(?:\.git|git~[1-9])[. ]*(?::.*)?$/i;

/**
 * Whether git may write there: below its working tree, through no link, and into `.git` of its top by that very name
 * only. A repository comes from a stranger: its names are data. @throws invalid-argument
 */
export function assertWritable(files: TreeFiles, path: string, root: string): void {
  if (path.includes('\0')) throw refused(path, 'its name holds a NUL');
  if (path === root) return;
  if (!path.startsWith(`${root}/`)) throw refused(path, 'it is not in the working tree');
  const names = path.slice(root.length + 1).split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..')) {
    throw refused(path, 'it leads out of the working tree');
  }
  const inTree = names[0] === '.git' ? [] : names;
  if (inTree.some((name) => gitAlias.test(name.replaceAll(ignored, '')))) {
    throw refused(path, 'a name in it stands for what git keeps');
  }
  const above = path.slice(0, path.lastIndexOf('/'));
  // One that is missing is told by what is done there.
  if (!files.exists(above)) return;
  const real = files.realpath(root) + above.slice(root.length);
  if (files.realpath(above) !== real) throw refused(path, 'a link leads there');
}

function refused(path: string, why: string): SandboxError {
  return new SandboxError(
    'invalid-argument',
    `Cannot write ${JSON.stringify(path)} of a repository: ${why}`,
    {
      details: { path },
    },
  );
}

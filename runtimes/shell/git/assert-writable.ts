import { SandboxError } from '../../../protocol/errors.ts';
import { isDotGit } from '../../../protocol/sandbox/git-reserved-names.ts';
import type { TreeFiles } from '../../../shell/files/tree-files.ts';

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
  if (inTree.some(isDotGit)) {
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

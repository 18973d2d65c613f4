import { treeLimits } from '../../../tree/limits.ts';
import { isDirectory, isSymlink } from '../../../tree/live/file-mode.ts';
import type { TreeFiles } from '../../files/tree-files.ts';
import { ShellError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';

/** Which names of a path must be there: all, all but the last, or none. */
export type Existence = 'all' | 'all-but-last' | 'none';

/** An absolute path without links, `.` and `..`. @throws ShellError ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG */
export function canonicalPath(
  files: TreeFiles,
  path: ShellText,
  { existence, followsLinks = true }: { existence: Existence; followsLinks?: boolean },
): ShellText {
  if (path.length > treeLimits.walkedBytes) throw new ShellError('ENAMETOOLONG');
  const left = path.split('/').reverse();
  const names: ShellText[] = [];
  let followed = 0;
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      names.pop();
      continue;
    }
    const here = `/${[...names, name].join('/')}`;
    const isLast = left.every((rest) => rest === '' || rest === '.');
    let mode: number | undefined;
    try {
      mode = files.lstat(here).mode;
    } catch (error) {
      if (!(error instanceof ShellError)) throw error;
      const isAllowed =
        existence === 'none' || (existence === 'all-but-last' && isLast && error.code === 'ENOENT');
      if (!isAllowed) throw error;
    }
    if (mode !== undefined && isSymlink(mode) && followsLinks) {
      followed += 1;
      if (followed > treeLimits.symlinksFollowed) throw new ShellError('ELOOP');
      const target = files.readlink(here);
      if (target.startsWith('/')) names.length = 0;
      for (const part of target.split('/').reverse()) left.push(part);
      continue;
    }
    const isNoDirectory = mode !== undefined && !isDirectory(mode) && (!isLast || left.length > 0);
    if (isNoDirectory && existence !== 'none') throw new ShellError('ENOTDIR');
    names.push(name);
  }
  return `/${names.join('/')}`;
}

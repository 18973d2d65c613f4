import { isRefName } from '../../../../sandbox/git/git-names.ts';
import { GitCommandError } from '../git-command-error.ts';

/** @throws GitCommandError for what cannot be the name of a branch or a tag */
export function checkedName(name: string | undefined, kind: 'branch' | 'tag' = 'branch'): string {
  if (name !== undefined && isRefName(name)) return name;
  throw new GitCommandError(`fatal: '${name ?? ''}' is not a valid ${kind} name${kind === 'tag' ? '.' : ''}`);
}

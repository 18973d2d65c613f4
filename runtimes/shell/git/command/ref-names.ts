import { limits } from '../../../../protocol/limits.ts';
import { GitCommandError } from '../git-command-error.ts';

/** Whether it can be the name of a branch or a tag, or a ref's from `refs/` on (git-check-ref-format). */
export function isRefName(name: string): boolean {
  if (name.length > limits.gitRefCharacters || name.startsWith('-') || name === '@') return false;
  if (/[\p{Cc} ~^:?*[\\]|\.\.|@\{|\.$/u.test(name)) return false;
  return name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'));
}

/** @throws GitCommandError for what cannot be the name of a branch or a tag */
export function checkedName(name: string | undefined, kind: 'branch' | 'tag' = 'branch'): string {
  if (name !== undefined && isRefName(name)) return name;
  throw new GitCommandError(`fatal: '${name ?? ''}' is not a valid ${kind} name${kind === 'tag' ? '.' : ''}`);
}

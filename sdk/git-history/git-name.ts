import { isDotGit, isDotGitModules } from '../../protocol/sandbox/git-reserved-names.ts';
import { type ByteString, toDisplayText } from '../../tree/content/byte-string.ts';

/** Why git has no entry of such a name; `undefined` where it has. */
export function whyNoGitName(name: ByteString, { isFile }: { readonly isFile: boolean }): string | undefined {
  if (['', '.', '..'].includes(name) || name.includes('\0')) return 'it is no name of a file';
  const text = toDisplayText(name);
  if (isDotGit(text)) return 'it is a repository of its own, or has the name of one';
  if (!isFile && isDotGitModules(text)) return 'git takes only a file by that name';
  return undefined;
}

/** Whether a tag of a snapshot can be a tag of git (git-check-ref-format). */
export function isGitTag(name: string): boolean {
  return /^[\p{L}\p{N}_][\p{L}\p{N}_.+@#=-]{0,199}$/u.test(name) && !/\.\.|@\{|\.lock$|\.$/.test(name);
}

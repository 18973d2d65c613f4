import { type ByteString, toDisplayText } from '../../tree/content/byte-string.ts';

/** Code points that some file systems ignore in names, by which a name may be `.git` there (git's `is_hfs_dotgit`). */
const ignored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
/** `.git` by the names that Windows takes for it (git's `is_ntfs_dotgit`). */
const dotGit = /(?:^|\\)(?:\.git|git~1)[. ]*(?:$|[\\:])/i;
/** What git reads as settings, and takes from no link. */
const dotGitModules = /(?:^|\\)(?:\.gitmodules|gitmod~[1-4])[. ]*(?:$|[\\:])/i;

/** Why git has no entry of such a name; `undefined` where it has. */
export function whyNoGitName(name: ByteString, { isFile }: { readonly isFile: boolean }): string | undefined {
  if (['', '.', '..'].includes(name) || name.includes('\0')) return 'it is no name of a file';
  const text = toDisplayText(name).replaceAll(ignored, '');
  if (dotGit.test(text)) return 'it is a repository of its own, or has the name of one';
  if (!isFile && dotGitModules.test(text)) return 'git takes only a file by that name';
  return undefined;
}

/** Whether a tag of a snapshot can be a tag of git (git-check-ref-format). */
export function isGitTag(name: string): boolean {
  return /^[\p{L}\p{N}_][\p{L}\p{N}_.+@#=-]{0,199}$/u.test(name) && !/\.\.|@\{|\.lock$|\.$/.test(name);
}

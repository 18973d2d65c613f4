/** Code points that some file systems ignore in names, by which a name may be `.git` there (git's `is_hfs_dotgit`). */
const ignored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
/** `.git` by the names that Windows takes for it (git's `is_ntfs_dotgit`). */
const dotGit = /(?:^|\\)(?:\.git|git~1)[. ]*(?:$|[\\:])/i;
/** What git reads as settings, and takes from no link. */
const dotGitModules = /(?:^|\\)(?:\.gitmodules|gitmod~[1-4])[. ]*(?:$|[\\:])/i;

/** Whether some file system takes the name for `.git`: git has no entry of such a name. */
export function isDotGit(name: string): boolean {
  return dotGit.test(name.replaceAll(ignored, ''));
}

/** Whether some file system takes the name for `.gitmodules`: git has only a file of such a name. */
export function isDotGitModules(name: string): boolean {
  return dotGitModules.test(name.replaceAll(ignored, ''));
}

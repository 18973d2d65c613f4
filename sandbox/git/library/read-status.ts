import { limits } from '../../../protocol/limits.ts';
import type { GitChange, GitFileStatus, GitStatus } from '../../../protocol/sandbox/git.ts';
import type { Repository } from './repository.ts';

/** A file, and which of HEAD, working tree and index have it, as the library numbers them. */
export type StatusRow = readonly [path: string, head: number, files: number, index: number];

/** Every file that git knows or that is not ignored, by path. */
export async function statusRows(repository: Repository, paths?: readonly string[]): Promise<StatusRow[]> {
  const ref = await repository.headTree();
  const filepaths = paths && { filepaths: [...paths] };
  return repository.library.statusMatrix({ ...repository.at, ref, ...filepaths });
}

export async function readStatus(repository: Repository): Promise<GitStatus> {
  const [head, branch] = await Promise.all([repository.head(), repository.branch()]);
  const files = (await statusRows(repository)).flatMap(statusesOf);
  return {
    ...(head === undefined ? {} : { head }),
    ...(branch === undefined ? {} : { branch }),
    files: files.slice(0, limits.gitStatusFiles),
    more: Math.max(files.length - limits.gitStatusFiles, 0),
  };
}

/** As git lists it: a file that was removed from the index and is still there is in the list twice. */
function statusesOf([path, head, files, index]: StatusRow): GitFileStatus[] {
  const staged = stagedChange(head, index);
  const statuses: GitFileStatus[] = [];
  if (index !== 0) {
    const unstaged = files === 0 ? 'deleted' : files === index ? 'unchanged' : 'modified';
    if (staged !== 'unchanged' || unstaged !== 'unchanged') statuses.push({ path, staged, unstaged });
    return statuses;
  }
  if (staged === 'deleted') statuses.push({ path, staged, unstaged: 'unchanged' });
  if (files !== 0) statuses.push({ path, staged: 'unchanged', unstaged: 'untracked' });
  return statuses;
}

function stagedChange(head: number, index: number): GitChange {
  if (index === 0) return head === 0 ? 'unchanged' : 'deleted';
  if (head === 0) return 'added';
  return index === 1 ? 'unchanged' : 'modified';
}

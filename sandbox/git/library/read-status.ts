import type { WalkerEntry } from 'isomorphic-git';
import { limits } from '../../../protocol/limits.ts';
import type { GitChange, GitFileStatus, GitStatus } from '../../../protocol/sandbox/git.ts';
import { withIndexModes } from './index-modes.ts';
import type { Repository } from './repository.ts';
import { blob } from './staged-changes.ts';

/**
 * A file, and a number for each of HEAD (1), working tree (2) and index (3): 0 where the file is not, else the first of the
 * three that has it with the same content and mode.
 */
type StatusRow = readonly [path: string, head: number, files: number, index: number];

type Found = WalkerEntry | undefined;

/** Every file that git knows or that is not ignored, by path. */
async function statusRows(repository: Repository): Promise<StatusRow[]> {
  const { library, at } = await withIndexModes(repository);
  const head = library.TREE({ ref: await repository.headTree() });
  const rows: StatusRow[] = await library.walk({
    ...at,
    trees: [head, library.WORKDIR(), library.STAGE()],
    map: async (path, [head = null, file = null, index = null]) => {
      if (path === '.') return undefined;
      // A submodule is a commit; its files are its own.
      if ((await head?.type()) === 'commit' || (await index?.type()) === 'commit') return null;
      if (!head && !index && (await library.isIgnored({ ...at, filepath: path }))) return null;
      return rowOf(path, [await blob(head), await blob(file), await blob(index)]);
    },
  });
  return rows;
}

/** `undefined` where none of them has a file. */
async function rowOf(
  path: string,
  [head, file, index]: readonly [Found, Found, Found],
): Promise<StatusRow | undefined> {
  if (!head && !file && !index) return undefined;
  // Of a file that git does not know, nothing is compared.
  if (!head && !index) return [path, 0, 2, 0];
  const [inHead, inFiles, inIndex] = [await idOf(head), await idOf(file), await idOf(index)];
  const ids = [undefined, inHead, inFiles, inIndex];
  return [path, ids.indexOf(inHead), ids.indexOf(inFiles), ids.indexOf(inIndex)];
}

async function idOf(entry: Found): Promise<string | undefined> {
  return entry && `${await entry.mode()} ${await entry.oid()}`;
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

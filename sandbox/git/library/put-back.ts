import { indexRows } from './index-rows.ts';
import { moveFiles } from './move-files.ts';
import { emptyTree, type Repository } from './repository.ts';
import { isWithin } from './staged-changes.ts';
import { directoriesAbove, type PathChange, type TreeFile, treeChanges } from './tree-changes.ts';

/** Without `paths`, all of it: the branch moves too. */
export interface PutBackAsk {
  readonly commit: string;
  readonly paths?: readonly string[] | undefined;
}

/** Puts index and files back to a commit, whatever they are now; files that neither has stay. With `paths`, those that the commit has there. */
export async function putBack(
  repository: Repository,
  {
    commit,
    paths,
    what,
    keepsRef = false,
  }: PutBackAsk & {
    readonly what: string;
    /** Leaves the branch where it is. */
    readonly keepsRef?: boolean;
  },
): Promise<void> {
  const branch = await repository.branch();
  const isAsked = (path: string) => !paths || paths.some((top) => top === '.' || isWithin(path, top));
  const staged = await stagedFiles(repository);
  const wanted = (await treeChanges(repository, { older: emptyTree, newer: commit })).filter(({ path }) =>
    isAsked(path),
  );
  const changes: PathChange[] = wanted.map((change) => ({ ...change, older: staged.get(change.path) }));
  const names = new Set(wanted.map(({ path }) => path));
  const directories = new Set(wanted.flatMap(({ path }) => directoriesAbove(path)));
  const isInWay = (path: string) =>
    directories.has(path) || directoriesAbove(path).some((above) => names.has(above));
  for (const [path, older] of staged) {
    if (names.has(path) || (paths && !isInWay(path))) continue;
    changes.push({ path, older, newer: undefined });
  }
  const ref = branch === undefined ? 'HEAD' : `refs/heads/${branch}`;
  const finish = async ({ library, at }: Repository) => {
    if (!paths && !keepsRef) await library.writeRef({ ...at, ref, value: commit, force: true });
  };
  await moveFiles(repository, { changes, force: true, finish, what });
}

async function stagedFiles(repository: Repository): Promise<Map<string, TreeFile | undefined>> {
  const index = await indexRows(repository);
  // Of one with conflicts, what was before them cannot be put back.
  return new Map(index.map(({ path, oid, mode, stage }) => [path, stage === 0 ? { oid, mode } : undefined]));
}

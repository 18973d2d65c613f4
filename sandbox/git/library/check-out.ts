import { assertNothingStaged } from './assert-nothing-staged.ts';
import { moveFiles } from './move-files.ts';
import type { Repository } from './repository.ts';
import { treeChanges } from './tree-changes.ts';

/**
 * Puts files and HEAD at a branch, a tag or a commit. Where the files are those of HEAD, they stay as they are, with what is
 * staged. A remote branch gets a branch that follows it. Whatever fails leaves files, index and HEAD as they were. @throws conflict
 */
export async function checkOut(repository: Repository, ref: string, what: string): Promise<void> {
  const { library, at } = repository;
  const isOwn = (await library.listBranches({ ...at })).includes(ref);
  const isRemote =
    !isOwn && ref !== 'HEAD' && (await library.listBranches({ ...at, remote: 'origin' })).includes(ref);
  const full = isOwn ? `refs/heads/${ref}` : isRemote ? `refs/remotes/origin/${ref}` : ref;
  const commit = await repository.commitOf(full);
  const finish = async (lasting: Repository) => {
    if (isRemote) await followRemote(lasting, { branch: ref, commit });
    const head = isOwn || isRemote ? { value: `refs/heads/${ref}`, symbolic: true } : { value: commit };
    await library.writeRef({ ...lasting.at, ref: 'HEAD', ...head, force: true });
  };
  if (commit === (await repository.head())) return finish(repository);
  await assertNothingStaged(repository, what);
  const changes = await treeChanges(repository, { older: await repository.headTree(), newer: commit });
  await moveFiles(repository, { changes, finish, what });
}

/** Makes a branch that follows the one of its name at `origin`. */
async function followRemote(
  { library, at }: Repository,
  { branch, commit }: { readonly branch: string; readonly commit: string },
): Promise<void> {
  await library.setConfig({ ...at, path: `branch.${branch}.remote`, value: 'origin' });
  await library.setConfig({ ...at, path: `branch.${branch}.merge`, value: `refs/heads/${branch}` });
  await library.writeRef({ ...at, ref: `refs/heads/${branch}`, value: commit });
}

import { addToReflog, noCommit } from '../../../../sandbox/git/library/reflog.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import type { GitCall } from './git-call.ts';
import { signatureLine } from './history-commit.ts';

/** Sets a ref, and notes it in its log, and in that of HEAD where HEAD is at it. `HEAD` is the branch that it is at, or itself. */
export async function moveRef(
  git: GitCall,
  repository: Repository,
  { ref, oid, message }: { readonly ref: string; readonly oid: string; readonly message: string },
): Promise<void> {
  const { library, at } = repository;
  const branch = await repository.branch();
  const current = branch === undefined ? 'HEAD' : `refs/heads/${branch}`;
  const target = ref === 'HEAD' ? current : ref;
  const older = (await library.resolveRef({ ...at, ref: target }).catch(() => undefined)) ?? noCommit;
  await library.writeRef({ ...at, ref: target, value: oid, force: true });
  const entry = {
    older,
    newer: oid,
    by: signatureLine(await git.signature(repository, 'COMMITTER')),
    message,
  };
  if (/^(?:HEAD$|refs\/(?:heads|remotes)\/)/.test(target)) await addToReflog(repository, target, entry);
  if (target !== 'HEAD' && target === current) await addToReflog(repository, 'HEAD', entry);
}

/** Puts HEAD at a branch, or at a commit, and notes it. */
export async function moveHead(
  git: GitCall,
  repository: Repository,
  {
    branch,
    oid,
    message,
  }: { readonly branch: string | undefined; readonly oid: string; readonly message: string },
): Promise<void> {
  const { library, at } = repository;
  const older = (await repository.head()) ?? noCommit;
  const head = branch === undefined ? { value: oid } : { value: `refs/heads/${branch}`, symbolic: true };
  await library.writeRef({ ...at, ref: 'HEAD', ...head, force: true });
  const by = signatureLine(await git.signature(repository, 'COMMITTER'));
  await addToReflog(repository, 'HEAD', { older, newer: oid, by, message });
}

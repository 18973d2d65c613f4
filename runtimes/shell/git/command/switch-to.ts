import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { commitNamed } from '../../../../sandbox/git/library/revisions.ts';
import { fileChanges, pathOf } from '../diff/file-changes.ts';
import { GitCommandError } from '../git-command-error.ts';
import { makeBranch, setUpstream } from './branch-command.ts';
import type { GitCall } from './git-call.ts';
import { readHistoryCommit, subjectOf } from './history-commit.ts';
import { moveHead } from './move-ref.ts';
import { mergeState, removeState } from './operation-state.ts';
import type { ParsedWords } from './parse-words.ts';
import { resetHard } from './reset-command.ts';
import { switchTree, treeOfHead } from './switch-tree.ts';
import { upstreamState } from './upstream-state.ts';

/** The remote that has a branch of this name, where only one has. */
export async function remoteOf(repository: Repository, name: string): Promise<string | undefined> {
  const { library, at } = repository;
  const found: string[] = [];
  for (const { remote } of await library.listRemotes({ ...at })) {
    const isThere = await library.resolveRef({ ...at, ref: `refs/remotes/${remote}/${name}` }).then(
      () => true,
      () => false,
    );
    if (isThere) found.push(remote);
  }
  return found.length === 1 ? found[0] : undefined;
}

interface Switch {
  readonly name: string;
  readonly start?: string | undefined;
  readonly creates: 'new' | 'anew' | undefined;
  readonly parsed: ParsedWords;
}

/** Puts HEAD, index and files at a branch or a commit; what is changed stays. @throws GitCommandError */
export async function switchTo(
  git: GitCall,
  repository: Repository,
  { name, start, creates, parsed }: Switch,
): Promise<number> {
  const { library, at } = repository;
  const [before, beforeHead] = [await repository.branch(), await repository.head()];
  const isQuiet = parsed.has('quiet');
  const isBranch = await library.resolveRef({ ...at, ref: `refs/heads/${name}` }).then(
    () => true,
    () => false,
  );
  const remote =
    isBranch ||
    creates ||
    (await commitNamed(repository, name).then(
      () => true,
      () => false,
    ))
      ? undefined
      : await remoteOf(repository, name);
  if (creates === 'new' && isBranch)
    throw new GitCommandError(`fatal: a branch named '${name}' already exists`);
  // Before the first commit, only the name of the branch changes.
  if (creates && beforeHead === undefined && start === undefined) {
    await library.writeRef({ ...at, ref: 'HEAD', value: `refs/heads/${name}`, symbolic: true, force: true });
    if (!isQuiet) await git.warn(`Switched to a new branch '${name}'`);
    return 0;
  }
  const target = creates
    ? (start ?? 'HEAD')
    : remote === undefined
      ? isBranch
        ? `refs/heads/${name}`
        : name
      : `refs/remotes/${remote}/${name}`;
  const commit = await commitNamed(repository, target).catch(() => {
    throw new GitCommandError(
      creates
        ? `fatal: '${start}' is not a commit and a branch '${name}' cannot be created from it`
        : `error: pathspec '${name}' did not match any file(s) known to git`,
      creates ? 128 : 1,
    );
  });
  if (parsed.has('force')) {
    await resetHard(git, repository, { target: commit });
    await removeState(repository, mergeState);
  } else
    await switchTree(repository, {
      from: await treeOfHead(repository),
      to: commit,
      verb: 'checkout',
      finish: async () => {},
    });
  if (creates)
    await makeBranch(git, repository, {
      name,
      start,
      isForced: creates === 'anew',
      followsNone: parsed.has('no-track'),
    });
  if (remote !== undefined) {
    await makeBranch(git, repository, { name, start: `${remote}/${name}`, followsNone: true });
    await setUpstream(repository, { branch: name, remote, merge: `refs/heads/${name}` });
    git.out.add(`branch '${name}' set up to track '${remote}/${name}'.\n`);
  }
  const branch =
    (creates || isBranch || remote !== undefined) && !(parsed.has('detach') && !creates) ? name : undefined;
  const from = before ?? beforeHead ?? name;
  await moveHead(git, repository, {
    branch,
    oid: commit,
    message: `checkout: moving from ${from} to ${branch ?? name}`,
  });
  if (isQuiet) return 0;
  await tellLocal(git, repository);
  await git.out.flush();
  const at7 = async (oid: string) =>
    `${oid.slice(0, 7)} ${subjectOf((await readHistoryCommit(repository, oid)).message)}`;
  if (before === undefined && beforeHead !== undefined && beforeHead !== commit)
    await git.warn(`Previous HEAD position was ${await at7(beforeHead)}`);
  if (branch === undefined)
    await git.warn(
      `${before === undefined || parsed.has('detach') ? '' : `Note: switching to '${name}'.\n\nYou are in 'detached HEAD' state.\n\n`}HEAD is now at ${await at7(commit)}`,
    );
  else if (creates || remote !== undefined) await git.warn(`Switched to a new branch '${branch}'`);
  else if (branch === before) await git.warn(`Already on '${branch}'`);
  else await git.warn(`Switched to branch '${branch}'`);
  if (branch !== undefined && !creates && remote === undefined) {
    const state = await upstreamState(repository, branch);
    if (state) git.out.add(state.text);
  }
  return 0;
}

/** What is changed and not committed. */
export async function tellLocal(git: GitCall, repository: Repository): Promise<void> {
  const changes = await fileChanges(repository, {
    older: { tree: await treeOfHead(repository) },
    newer: 'files',
  });
  for (const change of changes) git.out.add(`${change.kind}\t${repository.quoted(pathOf(change))}\n`);
}

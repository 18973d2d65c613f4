import { addToReflog, noCommit, readReflog, writeReflog } from '../../../../sandbox/git/library/reflog.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { commitNamed, fullRef, upstreamOf } from '../../../../sandbox/git/library/revisions.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import { listBranches } from './branch-list.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { signatureLine } from './history-commit.ts';
import { shortRef } from './list-refs.ts';
import { moveRef } from './move-ref.ts';
import { removeState } from './operation-state.ts';
import { type ParsedWords, parseWords } from './parse-words.ts';
import { selectionValues } from './ref-commands.ts';
import { checkedName, isRefName } from './ref-names.ts';
import { reachable } from './walk-history.ts';

/** Options that may stand without their value, which is HEAD then. */
const optional = ['--contains', '--no-contains', '--merged', '--no-merged', '--points-at'];

const branch: GitCommand = async (git, words) => {
  const parsed = parseWords(withHead(words), {
    flags: [
      ...[
        'all a',
        'remotes r',
        'show-current',
        'delete d',
        'D',
        'move m',
        'M',
        'copy c',
        'C',
        'list l',
        'verbose v',
        'force f',
        'quiet q',
      ],
      ...[
        'no-color',
        'color',
        'track t',
        'no-track',
        'unset-upstream',
        'no-abbrev',
        'i ignore-case',
        'edit-description',
      ],
    ],
    values: ['set-upstream-to u', 'format', ...selectionValues],
  });
  for (const option of ['copy', 'C', 'edit-description', 'i', 'track'])
    if (parsed.has(option))
      throw new NotInShellError(`fatal: the git of a shell has no --${option} of branch`, 129);
  const repository = await git.open();
  const current = await repository.branch();
  if (parsed.has('show-current')) {
    if (current !== undefined) git.out.add(`${current}\n`);
    return 0;
  }
  if (parsed.has('delete') || parsed.has('D')) return deleteBranches(git, repository, parsed);
  if (parsed.has('move') || parsed.has('M')) {
    const [from, to] = parsed.operands.length > 1 ? parsed.operands : [current, parsed.operands[0]];
    await rename(git, repository, {
      from: from ?? '',
      to: checkedName(to),
      isForced: parsed.has('M') || parsed.has('force'),
    });
    return 0;
  }
  const upstream = parsed.value('set-upstream-to');
  if (upstream !== undefined)
    return follow(git, repository, { branch: parsed.operands[0] ?? current, upstream });
  if (parsed.has('unset-upstream')) {
    const name = parsed.operands[0] ?? current ?? '';
    if ((await upstreamOf(repository, name)) === undefined)
      throw new GitCommandError(`fatal: Branch '${name}' has no upstream information`);
    for (const key of ['remote', 'merge']) await repository.set(`branch.${name}.${key}`, undefined);
    return 0;
  }
  const lists =
    parsed.has('list') ||
    ['contains', 'no-contains', 'merged', 'no-merged', 'points-at'].some((each) => parsed.has(each));
  const [name, start] = parsed.operands;
  if (name !== undefined && !lists && !parsed.has('all') && !parsed.has('remotes')) {
    await makeBranch(git, repository, {
      name: checkedName(name),
      start,
      isForced: parsed.has('force'),
      followsNone: parsed.has('no-track'),
    });
    return 0;
  }
  await listBranches(git, repository, parsed);
  return 0;
};

export const branchCommand: Readonly<Record<string, GitCommand>> = { branch };

function withHead(words: readonly string[]): string[] {
  return words.map((word, index) => {
    const next = words[index + 1];
    return optional.includes(word) && (next === undefined || next.startsWith('-')) ? `${word}=HEAD` : word;
  });
}

/** Makes a branch, or with `isForced` moves it. One that begins at a remote branch follows that. @throws GitCommandError */
export async function makeBranch(
  git: GitCall,
  repository: Repository,
  {
    name,
    start,
    isForced = false,
    followsNone = false,
  }: {
    readonly name: string;
    readonly start?: string | undefined;
    readonly isForced?: boolean;
    readonly followsNone?: boolean;
  },
): Promise<string> {
  const { library, at } = repository;
  const ref = `refs/heads/${name}`;
  const known = await library.resolveRef({ ...at, ref }).catch(() => undefined);
  if (known !== undefined && !isForced)
    throw new GitCommandError(`fatal: a branch named '${name}' already exists`);
  if (known !== undefined && name === (await repository.branch()))
    throw new GitCommandError(
      `fatal: cannot force update the branch '${name}' checked out at '${git.directory}'`,
    );
  const oid = await commitNamed(repository, start ?? 'HEAD').catch(() => {
    throw new GitCommandError(
      `fatal: not a valid object name: '${start ?? (git.hasRepository ? 'main' : 'HEAD')}'`,
    );
  });
  await moveRef(git, repository, {
    ref,
    oid,
    message:
      known === undefined ? `branch: Created from ${start ?? 'HEAD'}` : `branch: Reset to ${start ?? 'HEAD'}`,
  });
  const from = start === undefined ? undefined : await fullRef(repository, start);
  if (from?.startsWith('refs/remotes/') && !followsNone) {
    const [, remote = '', branchName = ''] = /^refs\/remotes\/([^/]+)\/(.+)$/.exec(from) ?? [];
    await setUpstream(repository, { branch: name, remote, merge: `refs/heads/${branchName}` });
    git.out.add(`branch '${name}' set up to track '${shortRef(from)}'.\n`);
  }
  return oid;
}

export async function setUpstream(
  repository: Pick<Repository, 'set'>,
  {
    branch: name,
    remote,
    merge,
  }: { readonly branch: string; readonly remote: string; readonly merge: string },
): Promise<void> {
  await repository.set(`branch.${name}.remote`, remote);
  await repository.set(`branch.${name}.merge`, merge);
}

async function follow(
  git: GitCall,
  repository: Repository,
  { branch: name, upstream }: { readonly branch: string | undefined; readonly upstream: string },
): Promise<number> {
  if (name === undefined)
    throw new GitCommandError(
      'fatal: could not set upstream of HEAD to something when it does not point to any branch.',
    );
  const ref = await fullRef(repository, upstream);
  const [, remote, merge] = /^refs\/remotes\/([^/]+)\/(.+)$/.exec(ref ?? '') ?? [];
  if (remote === undefined && !ref?.startsWith('refs/heads/'))
    throw new GitCommandError(`fatal: the requested upstream branch '${upstream}' does not exist`, 128);
  await setUpstream(repository, {
    branch: name,
    remote: remote ?? '.',
    merge: remote === undefined ? (ref ?? '') : `refs/heads/${merge}`,
  });
  git.out.add(`branch '${name}' set up to track '${shortRef(ref ?? '')}'.\n`);
  return 0;
}

async function deleteBranches(git: GitCall, repository: Repository, parsed: ParsedWords): Promise<number> {
  const { library, at } = repository;
  const isRemote = parsed.has('remotes');
  const current = await repository.branch();
  let status = 0;
  if (parsed.operands.length === 0) throw new GitCommandError('fatal: branch name required');
  for (const name of parsed.operands) {
    const ref = isRemote ? `refs/remotes/${name}` : `refs/heads/${name}`;
    const commit = isRefName(name)
      ? await library.resolveRef({ ...at, ref }).catch(() => undefined)
      : undefined;
    let problem =
      commit === undefined
        ? `error: ${isRemote ? 'remote-tracking ' : ''}branch '${name}' not found.`
        : undefined;
    if (commit !== undefined && !isRemote) {
      if (name === current)
        problem = `error: Cannot delete branch '${name}' checked out at '${git.directory}'`;
      else if (!parsed.has('D') && !parsed.has('force') && !(await isMerged(repository, { name, commit })))
        problem = `error: The branch '${name}' is not fully merged.\nIf you are sure you want to delete it, run 'git branch -D ${name}'.`;
    }
    if (problem !== undefined) {
      await git.warn(problem);
      status = 1;
      continue;
    }
    await library.deleteRef({ ...at, ref });
    await removeState(repository, [`logs/${ref}`]);
    if (!isRemote) await forgetSettings(repository, name);
    if (!parsed.has('quiet'))
      git.out.add(
        `Deleted ${isRemote ? 'remote-tracking ' : ''}branch ${name} (was ${commit?.slice(0, 7)}).\n`,
      );
  }
  return status;
}

async function forgetSettings(repository: Repository, name: string): Promise<void> {
  for (const key of ['remote', 'merge']) {
    const path = `branch.${name}.${key}`;
    if ((await repository.setting(path)) !== undefined) await repository.set(path, undefined);
  }
}

/** Whether the branch that it follows has it, or HEAD where it follows none. */
async function isMerged(
  repository: Repository,
  { name, commit }: { readonly name: string; readonly commit: string },
): Promise<boolean> {
  const upstream = await upstreamOf(repository, name);
  const followed =
    upstream === undefined
      ? undefined
      : await repository.library.resolveRef({ ...repository.at, ref: upstream }).catch(() => undefined);
  const into = followed ?? (await repository.head());
  return into !== undefined && (await reachable(repository, [into])).has(commit);
}

async function rename(
  git: GitCall,
  repository: Repository,
  { from, to, isForced }: { readonly from: string; readonly to: string; readonly isForced: boolean },
): Promise<void> {
  const { library, at } = repository;
  const older = `refs/heads/${from}`;
  const newer = `refs/heads/${to}`;
  const current = await repository.branch();
  const oid = isRefName(from)
    ? await library.resolveRef({ ...at, ref: older }).catch(() => undefined)
    : undefined;
  if (oid === undefined && from !== current)
    throw new GitCommandError(`error: refname ${older} not found\nfatal: Branch rename failed`);
  const isTaken = await library.resolveRef({ ...at, ref: newer }).then(
    () => true,
    () => false,
  );
  if (isTaken && !isForced && from !== to)
    throw new GitCommandError(`fatal: a branch named '${to}' already exists`);
  if (oid !== undefined && from !== to) {
    const log = await readReflog(repository, older);
    await library.deleteRef({ ...at, ref: older });
    await library.writeRef({ ...at, ref: newer, value: oid, force: true });
    await removeState(repository, [`logs/${older}`]);
    const by = signatureLine(await git.signature(repository, 'COMMITTER'));
    const message = `Branch: renamed ${older} to ${newer}`;
    await writeReflog(repository, newer, [...log, { older: oid, newer: oid, by, message }]);
    if (from === current) {
      await addToReflog(repository, 'HEAD', { older: oid, newer: noCommit, by, message });
      await addToReflog(repository, 'HEAD', { older: noCommit, newer: oid, by, message });
    }
  }
  if (from === current)
    await library.writeRef({ ...at, ref: 'HEAD', value: newer, symbolic: true, force: true });
  for (const key of ['remote', 'merge']) {
    const value = await repository.setting(`branch.${from}.${key}`);
    if (value === undefined || from === to) continue;
    await repository.set(`branch.${to}.${key}`, value);
    await repository.set(`branch.${from}.${key}`, undefined);
  }
}

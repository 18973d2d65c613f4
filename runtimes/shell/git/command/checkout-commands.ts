import { indexRows } from '../../../../sandbox/git/library/index-rows.ts';
import { putBack } from '../../../../sandbox/git/library/put-back.ts';
import { quotePath } from '../../../../sandbox/git/library/quote-path.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { commitNamed, fullRef, previousBranch } from '../../../../sandbox/git/library/revisions.ts';
import { unstageFiles } from '../../../../sandbox/git/library/unstage-files.ts';
import { fileChanges, filesOfTree, pathOf } from '../diff/file-changes.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import { makeBranch, setUpstream } from './branch-command.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { readHistoryCommit, subjectOf } from './history-commit.ts';
import { moveHead } from './move-ref.ts';
import { mergeState, operationUnderWay, removeState } from './operation-state.ts';
import { type ParsedWords, parseWords } from './parse-words.ts';
import { isWithinPaths } from './path-patterns.ts';
import { checkedName } from './ref-names.ts';
import { resetHard } from './reset-command.ts';
import { restoreFromIndex, restoreSide } from './restore-paths.ts';
import { switchTree, treeOfHead } from './switch-tree.ts';
import { upstreamState } from './upstream-state.ts';

const checkout: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: [
      'quiet q',
      'force f',
      'track t',
      'no-track',
      'detach d',
      'ours 2',
      'theirs 3',
      'merge m',
      'patch p',
      'guess',
      'no-guess',
      'progress',
      'no-progress',
    ],
    values: ['b', 'B', 'orphan', 'conflict'],
  });
  for (const option of ['merge', 'patch', 'orphan', 'conflict'])
    if (parsed.has(option))
      throw new NotInShellError(`fatal: the git of a shell has no --${option} of checkout`);
  return git.change(async (repository) => {
    const made = parsed.value('b') ?? parsed.value('B');
    const [first, ...others] = parsed.operands;
    if (made !== undefined) {
      if (others.length + parsed.paths.length > 0)
        throw new GitCommandError(
          `fatal: '${others[0] ?? parsed.paths[0]}' is not a commit and a branch '${made}' cannot be created from it`,
        );
      return switchTo(git, repository, {
        name: checkedName(made),
        start: first,
        creates: parsed.has('B') ? 'anew' : 'new',
        parsed,
      });
    }
    const name = first === '-' ? await previous(repository) : first;
    const isSide = parsed.has('ours') || parsed.has('theirs');
    const isRevision = name !== undefined && !isSide && (await isKnown(repository, name));
    const paths = [...(isRevision ? others : parsed.operands), ...parsed.paths];
    if (paths.length > 0) {
      const isOnlyPath = !isRevision && parsed.paths.length === 0 && parsed.operands.length === 1;
      await checkOutPaths(git, repository, {
        paths,
        from: isRevision ? name : undefined,
        parsed,
        isOnlyPath,
      });
      return 0;
    }
    if (name === undefined) {
      if (parsed.has('detach'))
        return switchTo(git, repository, { name: 'HEAD', creates: undefined, parsed });
      if (parsed.has('force'))
        return switchTo(git, repository, {
          name: (await repository.branch()) ?? 'HEAD',
          creates: undefined,
          parsed,
        });
      await tellLocal(git, repository);
      return 0;
    }
    return switchTo(git, repository, { name, creates: undefined, parsed });
  });
};

const switchCommand: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: [
      'quiet q',
      'detach d',
      'force f discard-changes',
      'track t',
      'no-track',
      'guess',
      'no-guess',
      'merge m',
    ],
    values: ['create c', 'force-create C', 'orphan'],
  });
  for (const option of ['merge', 'orphan'])
    if (parsed.has(option))
      throw new NotInShellError(`fatal: the git of a shell has no --${option} of switch`);
  return git.change(async (repository) => {
    const made = parsed.value('create') ?? parsed.value('force-create');
    const [given] = parsed.operands;
    if (made !== undefined)
      return switchTo(git, repository, {
        name: checkedName(made),
        start: given,
        creates: parsed.has('force-create') ? 'anew' : 'new',
        parsed,
      });
    if (given === undefined) throw new GitCommandError('fatal: missing branch or commit argument');
    const name = given === '-' ? await previous(repository) : given;
    if (!parsed.has('detach')) {
      const operation = await operationUnderWay(repository);
      if (operation)
        throw new GitCommandError(
          `fatal: cannot switch branch while ${operation.kind === 'merge' ? 'merging' : operation.kind === 'rebase' ? 'rebasing' : operation.kind === 'revert' ? 'reverting' : 'cherry-picking'}\nConsider "git ${operation.kind} --quit" or "git worktree add".`,
        );
      const full = await fullRef(repository, name);
      const isBranch =
        (await repository.library.resolveRef({ ...repository.at, ref: `refs/heads/${name}` }).then(
          () => true,
          () => false,
        )) || (await remoteOf(repository, name)) !== undefined;
      if (!isBranch && (full !== undefined || (await isKnown(repository, name))))
        throw new GitCommandError(
          `fatal: a branch is expected, got ${full?.startsWith('refs/tags/') ? 'tag' : full?.startsWith('refs/remotes/') ? 'remote branch' : 'commit'} '${name}'\nhint: If you want to detach HEAD at the commit, try again with the --detach option.`,
        );
      if (!isBranch) throw new GitCommandError(`fatal: invalid reference: ${name}`);
    }
    return switchTo(git, repository, { name, creates: undefined, parsed });
  });
};

const restore: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: [
      'staged S',
      'worktree W',
      'quiet q',
      'ours 2',
      'theirs 3',
      'patch p',
      'merge m',
      'ignore-unmerged',
      'no-progress',
    ],
    values: ['source s'],
  });
  for (const option of ['patch', 'merge', 'ignore-unmerged'])
    if (parsed.has(option))
      throw new NotInShellError(`fatal: the git of a shell has no --${option} of restore`);
  const names = [...parsed.operands, ...parsed.paths];
  if (names.length === 0) throw new GitCommandError('fatal: you must specify path(s) to restore');
  return git.change(async (repository) => {
    const source = parsed.value('source');
    const paths = git.treePaths(names);
    const commit = source === undefined ? await repository.head() : await revisionOf(repository, source);
    const isStaged = parsed.has('staged');
    const isInFiles = parsed.has('worktree') || !isStaged;
    if (isStaged) {
      const known = new Set([
        ...(await indexRows(repository)).map(({ path }) => path),
        ...(await filesOfTree(repository, await treeOfHead(repository))).keys(),
      ]);
      if (source !== undefined && commit !== undefined)
        for (const path of (await filesOfTree(repository, commit)).keys()) known.add(path);
      assertMatches([...known], { paths, names });
      await unstageFiles(repository, {
        paths: [...known].filter((path) => isWithinPaths(paths, path)),
        commit,
      });
    }
    if (!isInFiles) return 0;
    if (parsed.has('ours') || parsed.has('theirs'))
      await restoreSide(repository, { paths, stage: parsed.has('ours') ? 2 : 3, names });
    else if (source === undefined) await restoreFromIndex(repository, { paths, names });
    else if (commit !== undefined) {
      const files = await filesOfTree(repository, commit);
      assertMatches([...files.keys(), ...(await indexRows(repository)).map(({ path }) => path)], {
        paths,
        names,
      });
      await restoreFromIndex(repository, { paths, names, files });
    }
    return 0;
  });
};

export const checkoutCommands: Readonly<Record<string, GitCommand>> = {
  checkout,
  switch: switchCommand,
  restore,
};

async function revisionOf(repository: Repository, name: string): Promise<string> {
  return commitNamed(repository, name).catch(() => {
    throw new GitCommandError(`fatal: could not resolve ${name}`);
  });
}

async function previous(repository: Repository): Promise<string> {
  const name = await previousBranch(repository, 1);
  if (name === undefined) throw new GitCommandError('fatal: invalid reference: @{-1}');
  return name;
}

/** The remote that has a branch of this name, where only one has. */
async function remoteOf(repository: Repository, name: string): Promise<string | undefined> {
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

async function isKnown(repository: Repository, name: string): Promise<boolean> {
  if (
    await commitNamed(repository, name).then(
      () => true,
      () => false,
    )
  )
    return true;
  return (await remoteOf(repository, name)) !== undefined;
}

function assertMatches(
  known: readonly string[],
  { paths, names }: { readonly paths: readonly string[]; readonly names: readonly string[] },
): void {
  for (const [index, path] of paths.entries())
    if (path !== '.' && !known.some((each) => isWithinPaths([path], each)))
      throw new GitCommandError(
        `error: pathspec '${names[index]}' did not match any file(s) known to git`,
        1,
      );
}

async function checkOutPaths(
  git: GitCall,
  repository: Repository,
  {
    paths: names,
    from,
    parsed,
    isOnlyPath,
  }: {
    readonly paths: readonly string[];
    readonly from: string | undefined;
    readonly parsed: ParsedWords;
    readonly isOnlyPath: boolean;
  },
): Promise<void> {
  const paths = git.treePaths(names);
  if (parsed.has('ours') || parsed.has('theirs')) {
    const count = await restoreSide(repository, { paths, stage: parsed.has('ours') ? 2 : 3, names });
    if (!parsed.has('quiet')) await git.warn(`Updated ${count} path${count === 1 ? '' : 's'} from the index`);
  } else if (from === undefined) {
    const count = await restoreFromIndex(repository, { paths, names, isForced: parsed.has('force') });
    if (!parsed.has('quiet') && (isOnlyPath || names.length > 0))
      await git.warn(`Updated ${count} path${count === 1 ? '' : 's'} from the index`);
  } else {
    const commit = await commitNamed(repository, from);
    const files = await filesOfTree(repository, commit);
    assertMatches([...files.keys()], { paths, names });
    const wanted = [...files.keys()].filter((path) => isWithinPaths(paths, path));
    await putBack(repository, { commit, paths: wanted, what: 'fatal' });
    if (!parsed.has('quiet'))
      await git.warn(
        `Updated ${wanted.length} path${wanted.length === 1 ? '' : 's'} from ${commit.slice(0, 7)}`,
      );
  }
}

interface Switch {
  readonly name: string;
  readonly start?: string | undefined;
  readonly creates: 'new' | 'anew' | undefined;
  readonly parsed: ParsedWords;
}

async function switchTo(
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
async function tellLocal(git: GitCall, repository: Repository): Promise<void> {
  const changes = await fileChanges(repository, {
    older: { tree: await treeOfHead(repository) },
    newer: 'files',
  });
  for (const change of changes) git.out.add(`${change.kind}\t${quotePath(pathOf(change))}\n`);
}

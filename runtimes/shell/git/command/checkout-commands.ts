import { indexRows } from '../../../../sandbox/git/library/index-rows.ts';
import { putBack } from '../../../../sandbox/git/library/put-back.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { commitNamed, fullRef, previousBranch } from '../../../../sandbox/git/library/revisions.ts';
import { unstageFiles } from '../../../../sandbox/git/library/unstage-files.ts';
import { filesOfTree } from '../diff/file-changes.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { operationUnderWay } from './operation-state.ts';
import { type ParsedWords, parseWords } from './parse-words.ts';
import { isExclusion, isWithinPaths } from './path-patterns.ts';
import { checkedName } from './ref-names.ts';
import { restoreFromIndex, restoreSide } from './restore-paths.ts';
import { remoteOf, switchTo, tellLocal } from './switch-to.ts';
import { treeOfHead } from './switch-tree.ts';

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
    if (path !== '.' && !isExclusion(path) && !known.some((each) => isWithinPaths([path], each)))
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

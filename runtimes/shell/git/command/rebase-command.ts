import { mergeBases } from '../../../../sandbox/git/library/merge-bases.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { commitNamed, upstreamOf } from '../../../../sandbox/git/library/revisions.ts';
import { fileChanges } from '../diff/file-changes.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { shortRef } from './list-refs.ts';
import { moveHead } from './move-ref.ts';
import { operationUnderWay, writeStateFile } from './operation-state.ts';
import { parseWords } from './parse-words.ts';
import { commitsToPick, mergesBetween } from './rebase-commits.ts';
import { goOnRebasing, pickAll, rebaseFolder } from './rebase-steps.ts';
import { switchTree, treeOfHead } from './switch-tree.ts';

const rebase: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: [
      'abort',
      'continue',
      'skip',
      'quit',
      'quiet q',
      'force-rebase f no-ff',
      'no-stat n',
      'stat',
      'interactive i',
      'rebase-merges r',
      'autostash',
      'no-autostash',
      'root',
      'autosquash',
      'no-verify',
      'edit-todo',
      'keep-empty',
      'apply',
      'merge m',
    ],
    values: ['onto', 'exec x', 'strategy-option X', 'strategy s'],
  });
  for (const option of [
    'interactive',
    'rebase-merges',
    'autostash',
    'root',
    'autosquash',
    'exec',
    'strategy-option',
    'strategy',
    'edit-todo',
    'apply',
  ])
    if (parsed.has(option))
      throw new NotInShellError(`fatal: the git of a shell has no --${option} of rebase`);
  return git.change(async (repository) => {
    for (const verb of ['abort', 'continue', 'skip', 'quit'] as const)
      if (parsed.has(verb)) return goOnRebasing(git, repository, verb);
    const operation = await operationUnderWay(repository);
    if (operation?.kind === 'rebase')
      throw new GitCommandError(
        'fatal: It seems that there is already a rebase-merge directory, and\nI wonder if you are in the middle of another rebase.  If that is the\ncase, please try\n\tgit rebase (--continue | --abort | --skip)',
      );
    return rebaseOnto(git, repository, {
      upstream: parsed.operands[0],
      branch: parsed.operands[1],
      onto: parsed.value('onto'),
      isForced: parsed.has('force-rebase'),
      isQuiet: parsed.has('quiet'),
    });
  });
};

export const rebaseCommands: Readonly<Record<string, GitCommand>> = { rebase };

export interface RebaseAsk {
  readonly upstream: string | undefined;
  readonly branch?: string | undefined;
  readonly onto?: string | undefined;
  readonly isForced?: boolean;
  readonly isQuiet?: boolean;
  /** As the log of HEAD has it: `rebase`, `pull --rebase`. */
  readonly action?: string;
}

/** Brings the commits that `upstream` lacks on top of it, one after the other. @throws GitCommandError */
export async function rebaseOnto(git: GitCall, repository: Repository, ask: RebaseAsk): Promise<number> {
  const { library, at } = repository;
  const current = await repository.branch();
  const upstreamName =
    ask.upstream ?? (current === undefined ? undefined : await upstreamOf(repository, current));
  if (upstreamName === undefined)
    throw new GitCommandError(
      "There is no tracking information for the current branch.\nPlease specify which branch you want to rebase against.\nSee git-rebase(1) for details.\n\n    git rebase '<branch>'\n",
      1,
    );
  const find = async (name: string) =>
    commitNamed(repository, name).catch(() => {
      throw new GitCommandError(`fatal: invalid upstream '${name}'`);
    });
  const upstream = await find(upstreamName);
  const onto = ask.onto === undefined ? upstream : await find(ask.onto);
  await assertClean(repository);
  const branch = ask.branch ?? current;
  const isBranch =
    branch !== undefined &&
    (await library.resolveRef({ ...at, ref: `refs/heads/${branch}` }).then(
      () => true,
      () => false,
    ));
  const head = isBranch
    ? await library.resolveRef({ ...at, ref: `refs/heads/${branch}` })
    : await find(branch ?? 'HEAD');
  const name = isBranch ? `refs/heads/${branch}` : 'detached HEAD';
  const commits = await commitsToPick(repository, { upstream, head });
  const [base] = await mergeBases(repository, onto, head);
  const isLinear =
    base === onto && commits.every(({ parents }, index) => parents[0] === (commits[index - 1]?.id ?? onto));
  const action = ask.action ?? 'rebase';
  if (isLinear && !ask.isForced && (await mergesBetween(repository, upstream, head)) === 0) {
    if (ask.branch !== undefined && isBranch && branch !== current) {
      await switchTree(repository, {
        from: await treeOfHead(repository),
        to: head,
        verb: 'checkout',
        finish: async () => {},
      });
      await moveHead(git, repository, {
        branch,
        oid: head,
        message: `${action} (start): checkout ${branch}`,
      });
    }
    if (!ask.isQuiet)
      git.out.add(isBranch ? `Current branch ${branch} is up to date.\n` : 'HEAD is up to date.\n');
    return 0;
  }
  await switchTree(repository, {
    from: await treeOfHead(repository),
    to: onto,
    verb: 'checkout',
    finish: async () => {},
  });
  await writeStateFile(repository, 'ORIG_HEAD', `${head}\n`);
  await moveHead(git, repository, {
    branch: undefined,
    oid: onto,
    message: `${action} (start): checkout ${ask.onto ?? shortRef(upstreamName)}`,
  });
  for (const [file, text] of [
    ['head-name', `${name}\n`],
    ['onto', `${onto}\n`],
    ['orig-head', `${head}\n`],
    ['interactive', ''],
    ['end', `${commits.length}\n`],
    ['msgnum', '0\n'],
    ['done', ''],
  ] as const)
    await writeStateFile(repository, `${rebaseFolder}/${file}`, text);
  return pickAll(git, repository, commits);
}

async function assertClean(repository: Repository): Promise<void> {
  const unstaged = await fileChanges(repository, { older: 'index', newer: 'files' });
  const staged = await fileChanges(repository, {
    older: { tree: await treeOfHead(repository) },
    newer: 'index',
  });
  if (unstaged.length > 0)
    throw new GitCommandError(
      `error: cannot rebase: You have unstaged changes.${staged.length > 0 ? '\nerror: additionally, your index contains uncommitted changes.' : ''}\nerror: Please commit or stash them.`,
      1,
    );
  if (staged.length > 0)
    throw new GitCommandError(
      'error: cannot rebase: Your index contains uncommitted changes.\nerror: Please commit or stash them.',
      1,
    );
}

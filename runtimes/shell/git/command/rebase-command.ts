import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { commitNamed, upstreamOf } from '../../../../sandbox/git/library/revisions.ts';
import { fileChanges } from '../diff/file-changes.ts';
import { patchOf } from '../diff/patch.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import { assertMerged } from './commit-commands.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import {
  type HistoryCommit,
  readHistoryCommit,
  type Signature,
  subjectOf,
  zoneText,
} from './history-commit.ts';
import { shortRef } from './list-refs.ts';
import { changesOf } from './log-command.ts';
import { cleanMessage, commitSummary, headTreeOf, writeCommit, writeIndexTree } from './make-commit.ts';
import { moveHead, moveRef } from './move-ref.ts';
import { mergeState, operationUnderWay, removeState, stateFile, writeStateFile } from './operation-state.ts';
import { parseWords } from './parse-words.ts';
import { pickCommit } from './pick-commit.ts';
import { resetHard } from './reset-command.ts';
import { mergeBases } from './revision-range.ts';
import { switchTree, treeOfHead } from './switch-tree.ts';
import { parseTime } from './time-of.ts';
import { inTopologicalOrder, walkHistory } from './walk-history.ts';

const folder = 'rebase-merge';

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
      if (parsed.has(verb)) return goOn(git, repository, verb);
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
    await writeStateFile(repository, `${folder}/${file}`, text);
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

async function mergesBetween(repository: Repository, upstream: string, head: string): Promise<number> {
  let count = 0;
  for await (const { parents } of walkHistory(repository, { tips: [head], excluded: [upstream] }))
    if (parents.length > 1) count += 1;
  return count;
}

/** The oldest first, without merges, and without those whose changes the other side has too. */
async function commitsToPick(
  repository: Repository,
  { upstream, head }: { readonly upstream: string; readonly head: string },
): Promise<HistoryCommit[]> {
  const found: HistoryCommit[] = [];
  for await (const commit of walkHistory(repository, { tips: [head], excluded: [upstream] }))
    found.push(commit);
  const ordered = inTopologicalOrder(found)
    .reverse()
    .filter(({ parents }) => parents.length < 2);
  const theirs = new Set<string>();
  for await (const commit of walkHistory(repository, { tips: [upstream], excluded: [head] }))
    if (commit.parents.length < 2) theirs.add(await patchIdOf(repository, commit));
  if (theirs.size === 0) return ordered;
  const kept: HistoryCommit[] = [];
  for (const commit of ordered) if (!theirs.has(await patchIdOf(repository, commit))) kept.push(commit);
  return kept;
}

/** What a commit changed, wherever in its files. */
async function patchIdOf(repository: Repository, commit: HistoryCommit): Promise<string> {
  const parts: string[] = [];
  for (const change of await changesOf(repository, commit)) {
    repository.signal.throwIfAborted();
    const text = await patchOf(repository, change);
    parts.push(
      text
        .split('\n')
        .filter((line) => !/^(?:@@|index )/.test(line))
        .join('\n')
        .replaceAll(/[ \t]+/g, ''),
    );
  }
  return parts.length === 0 ? commit.id : parts.join('\n');
}

async function pickAll(
  git: GitCall,
  repository: Repository,
  commits: readonly HistoryCommit[],
): Promise<number> {
  const line = ({ id, message }: HistoryCommit) => `pick ${id} ${subjectOf(message)}\n`;
  for (const [index, commit] of commits.entries()) {
    await writeStateFile(
      repository,
      `${folder}/git-rebase-todo`,
      commits
        .slice(index + 1)
        .map(line)
        .join(''),
    );
    await writeStateFile(
      repository,
      `${folder}/done`,
      `${(await stateFile(repository, `${folder}/done`)) ?? ''}${line(commit)}`,
    );
    const number = Number((await stateFile(repository, `${folder}/msgnum`)) ?? 0) + 1;
    await writeStateFile(repository, `${folder}/msgnum`, `${number}\n`);
    const head = await repository.head();
    if (commit.parents[0] === head && head !== undefined) {
      await switchTree(repository, { from: head, to: commit.id, verb: 'checkout', finish: async () => {} });
      await moveRef(git, repository, {
        ref: 'HEAD',
        oid: commit.id,
        message: `rebase (pick): ${subjectOf(commit.message)}`,
      });
      continue;
    }
    const picked = await pickCommit(git, repository, { commit, kind: 'rebase', message: commit.message });
    if (picked.kind === 'empty')
      await git.warn(`dropping ${commit.id} ${subjectOf(commit.message)} -- patch contents already upstream`);
    if (picked.kind !== 'conflict') continue;
    await writeStateFile(repository, `${folder}/message`, commit.message);
    await writeStateFile(repository, `${folder}/stopped-sha`, `${commit.id.slice(0, 7)}\n`);
    await writeStateFile(repository, `${folder}/author-script`, authorScript(commit.author));
    await writeStateFile(repository, 'REBASE_HEAD', `${commit.id}\n`);
    await git.warn(
      `error: could not apply ${commit.id.slice(0, 7)}... ${subjectOf(commit.message)}\nhint: Resolve all conflicts manually, mark them as resolved with\nhint: "git add/rm <conflicted_files>", then run "git rebase --continue".\nhint: You can instead skip this commit: run "git rebase --skip".\nhint: To abort and get back to the state before "git rebase", run "git rebase --abort".\nCould not apply ${commit.id.slice(0, 7)}... ${subjectOf(commit.message)}`,
    );
    return 1;
  }
  return finish(git, repository);
}

async function finish(git: GitCall, repository: Repository): Promise<number> {
  const name = ((await stateFile(repository, `${folder}/head-name`)) ?? '').trim();
  const onto = ((await stateFile(repository, `${folder}/onto`)) ?? '').trim();
  const head = (await repository.head()) ?? '';
  if (name.startsWith('refs/heads/')) {
    await moveRef(git, repository, {
      ref: name,
      oid: head,
      message: `rebase (finish): ${name} onto ${onto}`,
    });
    await moveHead(git, repository, {
      branch: name.slice(11),
      oid: head,
      message: `rebase (finish): returning to ${name}`,
    });
  }
  await removeState(repository, [folder, 'REBASE_HEAD', ...mergeState]);
  await git.warn(
    name.startsWith('refs/heads/')
      ? `Successfully rebased and updated ${name}.`
      : 'Successfully rebased and updated detached HEAD.',
  );
  return 0;
}

async function goOn(
  git: GitCall,
  repository: Repository,
  verb: 'abort' | 'continue' | 'skip' | 'quit',
): Promise<number> {
  const operation = await operationUnderWay(repository);
  const name = ((await stateFile(repository, `${folder}/head-name`)) ?? '').trim();
  if (operation?.kind !== 'rebase' && name === '') throw new GitCommandError('fatal: No rebase in progress?');
  if (name === '')
    throw new NotInShellError(
      'fatal: the git of a shell does not go on with a rebase of patches (rebase --apply)',
      128,
    );
  if (verb === 'quit') {
    await removeState(repository, [folder, 'REBASE_HEAD', ...mergeState]);
    return 0;
  }
  const head = (await repository.head()) ?? '';
  if (verb === 'abort') {
    const target = ((await stateFile(repository, `${folder}/orig-head`)) ?? '').trim();
    await resetHard(git, repository, { target });
    const branch = name.startsWith('refs/heads/') ? name.slice(11) : undefined;
    await moveHead(git, repository, {
      branch,
      oid: target,
      message: `rebase (abort): returning to ${branch === undefined ? target : name}`,
    });
    await removeState(repository, [folder, 'REBASE_HEAD', ...mergeState]);
    return 0;
  }
  const todo = ((await stateFile(repository, `${folder}/git-rebase-todo`)) ?? '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const unknown = todo.find((line) => !/^(?:p|pick) [0-9a-f]+/.test(line));
  if (unknown !== undefined)
    throw new NotInShellError(
      `fatal: the git of a shell only picks in a rebase, and has '${unknown.slice(0, 60)}' to do`,
      128,
    );
  if (verb === 'skip') await resetHard(git, repository, { target: head });
  else await commitStopped(git, repository, head);
  await removeState(repository, [
    'REBASE_HEAD',
    `${folder}/message`,
    `${folder}/author-script`,
    `${folder}/stopped-sha`,
    ...mergeState,
  ]);
  const commits: HistoryCommit[] = [];
  for (const line of todo)
    commits.push(
      await readHistoryCommit(repository, await commitNamed(repository, line.split(' ')[1] ?? '')),
    );
  return pickAll(git, repository, commits);
}

async function commitStopped(git: GitCall, repository: Repository, head: string): Promise<void> {
  await assertMerged(git, repository);
  const tree = await writeIndexTree(repository);
  const unstaged = await fileChanges(repository, { older: 'index', newer: 'files' });
  if (unstaged.length > 0)
    throw new GitCommandError(
      'error: cannot rebase: You have unstaged changes.\nPlease commit or stash them.',
      1,
    );
  if (tree === (await headTreeOf(repository))) return;
  const text =
    (await stateFile(repository, 'MERGE_MSG')) ?? (await stateFile(repository, `${folder}/message`)) ?? '';
  const message = cleanMessage(text, { dropsComments: true });
  const script = await stateFile(repository, `${folder}/author-script`);
  const author =
    (script === undefined ? undefined : parseAuthor(git, script)) ??
    (await git.signature(repository, 'AUTHOR'));
  const id = await writeCommit(git, repository, { tree, parents: [head], message, author });
  await moveRef(git, repository, {
    ref: 'HEAD',
    oid: id,
    message: `rebase (continue): ${subjectOf(message)}`,
  });
  git.out.add(await commitSummary(git, repository, id));
}

function authorScript({ name, email, seconds, zoneMinutes }: Signature): string {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  return `GIT_AUTHOR_NAME=${quote(name)}\nGIT_AUTHOR_EMAIL=${quote(email)}\nGIT_AUTHOR_DATE=${quote(`@${seconds} ${zoneText(zoneMinutes)}`)}\n`;
}

function parseAuthor(git: GitCall, script: string): Signature | undefined {
  const field = (key: string) =>
    new RegExp(`^GIT_AUTHOR_${key}='(.*)'$`, 'm').exec(script)?.[1]?.replaceAll("'\\''", "'");
  const [name, email, date] = [field('NAME'), field('EMAIL'), field('DATE')];
  if (name === undefined || email === undefined || date === undefined) return undefined;
  return { name, email, ...parseTime(git.call, date) };
}

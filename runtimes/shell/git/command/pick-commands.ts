import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { commitNamed } from '../../../../sandbox/git/library/revisions.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import type { Favor } from '../merge/merge-lines.ts';
import { assertMerged } from './commit-commands.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { type HistoryCommit, readHistoryCommit, subjectOf } from './history-commit.ts';
import { cleanMessage, commitSummary, headTreeOf, writeCommit, writeIndexTree } from './make-commit.ts';
import { moveRef } from './move-ref.ts';
import { mergeState, operationUnderWay, removeState, stateFile, writeStateFile } from './operation-state.ts';
import { type ParsedWords, parseWords } from './parse-words.ts';
import { pickCommit } from './pick-commit.ts';
import { resetHard } from './reset-command.ts';
import { endsOf } from './revision-range.ts';
import { assertIndexIsHead } from './switch-tree.ts';
import { walkHistory } from './walk-history.ts';

type Kind = 'cherry-pick' | 'revert';

function pickCommand(kind: Kind): GitCommand {
  return async (git, words) => {
    const parsed = parseWords(words, {
      flags: [
        'no-commit n',
        'x',
        'edit e',
        'no-edit',
        'signoff s',
        'abort',
        'continue',
        'skip',
        'quit',
        'ff',
        'allow-empty',
        'keep-redundant-commits',
      ],
      values: ['mainline m', 'strategy-option X', 'strategy'],
    });
    for (const option of ['signoff', 'edit', 'ff', 'strategy', 'keep-redundant-commits'])
      if (parsed.has(option))
        throw new NotInShellError(`fatal: the git of a shell has no --${option} of ${kind}`);
    const favor = parsed.value('strategy-option');
    if (favor !== undefined && favor !== 'ours' && favor !== 'theirs')
      throw new NotInShellError(`fatal: the git of a shell knows no -X ${favor}`);
    return git.change(async (repository) => {
      for (const verb of ['abort', 'continue', 'skip', 'quit'] as const)
        if (parsed.has(verb)) return goOn(git, repository, { kind, verb });
      const operation = await operationUnderWay(repository);
      if (operation?.kind === 'cherry-pick' || operation?.kind === 'revert')
        throw new GitCommandError(
          `error: ${kind === operation.kind ? `a ${kind} is already in progress` : `your local changes would be overwritten by ${kind}.`}\nhint: try "git ${operation.kind} (--continue | --abort | --quit)"\nfatal: ${kind} failed`,
        );
      if (!parsed.has('no-commit')) await assertIndexIsHead(repository, kind);
      const commits = await commitsOf(repository, parsed, kind);
      const head = await repository.head();
      if (head !== undefined && commits.length > 1) await startSequence(repository, { head, commits, kind });
      return runPicks(git, repository, { kind, commits, parsed, favor });
    });
  };
}

export const pickCommands: Readonly<Record<string, GitCommand>> = {
  'cherry-pick': pickCommand('cherry-pick'),
  revert: pickCommand('revert'),
};

async function commitsOf(
  repository: Repository,
  { operands }: ParsedWords,
  kind: Kind,
): Promise<HistoryCommit[]> {
  if (operands.length === 0) throw new GitCommandError(`usage: git ${kind} [<options>] <commit>...`, 129);
  const commits: HistoryCommit[] = [];
  for (const word of operands) {
    const ends = await endsOf(repository, word);
    if (ends === undefined) throw new GitCommandError(`fatal: bad revision '${word}'`);
    if (ends.excluded.length === 0) {
      commits.push(await readHistoryCommit(repository, await commitNamed(repository, word)));
      continue;
    }
    const found: HistoryCommit[] = [];
    for await (const commit of walkHistory(repository, { tips: ends.included, excluded: ends.excluded }))
      found.push(commit);
    commits.push(...(kind === 'revert' ? found : found.reverse()));
  }
  return commits;
}

/** As real git keeps it, so that it can go on with what was begun here. */
async function startSequence(
  repository: Repository,
  {
    head,
    commits,
    kind,
  }: { readonly head: string; readonly commits: readonly HistoryCommit[]; readonly kind: Kind },
): Promise<void> {
  await writeStateFile(repository, 'sequencer/head', `${head}\n`);
  await writeStateFile(repository, 'sequencer/abort-safety', `${head}\n`);
  await writeTodo(repository, commits, kind);
}

async function writeTodo(
  repository: Repository,
  commits: readonly HistoryCommit[],
  kind: Kind,
): Promise<void> {
  const verb = kind === 'revert' ? 'revert' : 'pick';
  await writeStateFile(
    repository,
    'sequencer/todo',
    commits.map(({ id, message }) => `${verb} ${id.slice(0, 7)} ${subjectOf(message)}\n`).join(''),
  );
}

interface Picks {
  readonly kind: Kind;
  readonly commits: readonly HistoryCommit[];
  readonly parsed?: ParsedWords;
  readonly favor?: Favor;
}

async function runPicks(
  git: GitCall,
  repository: Repository,
  { kind, commits, parsed, favor }: Picks,
): Promise<number> {
  const isSequence = (await stateFile(repository, 'sequencer/head')) !== undefined;
  const mainline = parsed?.value('mainline');
  for (const [index, commit] of commits.entries()) {
    if (isSequence) await writeTodo(repository, commits.slice(index), kind);
    const picked = await pickCommit(git, repository, {
      commit,
      kind,
      favor,
      mainline: mainline === undefined ? undefined : Number(mainline),
      commits: !parsed?.has('no-commit'),
      allowsEmpty: parsed?.has('allow-empty') ?? false,
      message: messageOf(commit, { kind, mainline, showsOrigin: parsed?.has('x') ?? false }),
    });
    if (picked.kind === 'made') {
      git.out.add(await commitSummary(git, repository, picked.id, { showsDate: true }));
      if (isSequence) await writeStateFile(repository, 'sequencer/abort-safety', `${picked.id}\n`);
    } else if (picked.kind === 'staged') continue;
    else return stopped(git, repository, { kind, commit, isEmpty: picked.kind === 'empty' });
  }
  await removeState(repository, ['sequencer', ...(parsed?.has('no-commit') ? [] : mergeState)]);
  return 0;
}

function messageOf(
  commit: HistoryCommit,
  {
    kind,
    mainline,
    showsOrigin,
  }: { readonly kind: Kind; readonly mainline: string | undefined; readonly showsOrigin: boolean },
): string {
  if (kind === 'cherry-pick') {
    if (!showsOrigin) return commit.message;
    const isTrailer = /\n\n(?:[A-Za-z-]+: [^\n]*\n)+$/.test(commit.message);
    return `${commit.message}${isTrailer ? '' : '\n'}(cherry picked from commit ${commit.id})\n`;
  }
  const subject = subjectOf(commit.message);
  const of =
    mainline === undefined ? '' : `, reversing\nchanges made to ${commit.parents[Number(mainline) - 1]}`;
  return `Revert "${subject}"\n\nThis reverts commit ${commit.id}${of}.\n`;
}

async function stopped(
  git: GitCall,
  repository: Repository,
  {
    kind,
    commit,
    isEmpty,
  }: { readonly kind: Kind; readonly commit: HistoryCommit; readonly isEmpty: boolean },
): Promise<number> {
  if (isEmpty) {
    await writeStateFile(
      repository,
      kind === 'revert' ? 'REVERT_HEAD' : 'CHERRY_PICK_HEAD',
      `${commit.id}\n`,
    );
    await writeStateFile(repository, 'MERGE_MSG', commit.message);
    await git.warn(
      `The previous ${kind} is now empty, possibly due to conflict resolution.\nIf you wish to commit it anyway, use:\n\n    git commit --allow-empty\n\nOtherwise, please use 'git ${kind} --skip'`,
    );
    return 1;
  }
  await git.warn(
    `error: could not ${kind === 'revert' ? 'revert' : 'apply'} ${commit.id.slice(0, 7)}... ${subjectOf(commit.message)}\nhint: After resolving the conflicts, mark them with\nhint: "git add/rm <pathspec>", then run\nhint: "git ${kind} --continue".\nhint: You can instead skip this commit with "git ${kind} --skip".\nhint: To abort and get back to the state before "git ${kind}",\nhint: run "git ${kind} --abort".`,
  );
  return 1;
}

async function goOn(
  git: GitCall,
  repository: Repository,
  { kind, verb }: { readonly kind: Kind; readonly verb: 'abort' | 'continue' | 'skip' | 'quit' },
): Promise<number> {
  const operation = await operationUnderWay(repository);
  const first = await stateFile(repository, 'sequencer/head');
  if (operation?.kind !== kind && first === undefined)
    throw new GitCommandError(`error: no cherry-pick or revert in progress\nfatal: ${kind} failed`);
  const head = await repository.head();
  if (verb === 'quit') {
    await removeState(repository, ['sequencer', ...mergeState]);
    return 0;
  }
  if (verb === 'abort') {
    const target = first?.trim() ?? head;
    const safe = (await stateFile(repository, 'sequencer/abort-safety'))?.trim();
    if (safe !== undefined && safe !== head)
      throw new GitCommandError('warning: You seem to have moved HEAD. Not rewinding, check your HEAD!', 1);
    if (target !== undefined) {
      await resetHard(git, repository, { target, isMerge: true });
      if (target !== head)
        await moveRef(git, repository, { ref: 'HEAD', oid: target, message: `reset: moving to ${target}` });
    }
    await removeState(repository, ['sequencer', ...mergeState]);
    return 0;
  }
  if (verb === 'skip' && head !== undefined)
    await resetHard(git, repository, { target: head, isMerge: true });
  if (verb === 'continue' && operation?.kind === kind) {
    await assertMerged(git, repository);
    const commit = await readHistoryCommit(repository, operation.commit);
    const tree = await writeIndexTree(repository);
    if (tree === (await headTreeOf(repository)))
      return stopped(git, repository, { kind, commit, isEmpty: true });
    const message = cleanMessage((await stateFile(repository, 'MERGE_MSG')) ?? commit.message, {
      dropsComments: true,
    });
    const author = kind === 'revert' ? await git.signature(repository, 'AUTHOR') : commit.author;
    const id = await writeCommit(git, repository, {
      tree,
      parents: head === undefined ? [] : [head],
      message,
      author,
    });
    await moveRef(git, repository, {
      ref: 'HEAD',
      oid: id,
      message: `${kind === 'revert' ? 'revert' : 'commit (cherry-pick)'}: ${subjectOf(message)}`,
    });
    git.out.add(await commitSummary(git, repository, id, { showsDate: true }));
  }
  const todo = ((await stateFile(repository, 'sequencer/todo')) ?? '')
    .split('\n')
    .slice(1)
    .flatMap((line) => /^(?:pick|revert) ([0-9a-f]+)/.exec(line)?.[1] ?? []);
  await removeState(repository, mergeState);
  const commits = await Promise.all(
    todo.map(async (id) => readHistoryCommit(repository, await commitNamed(repository, id))),
  );
  return runPicks(git, repository, { kind, commits });
}

import { mergeBases } from '../../../../sandbox/git/library/merge-bases.ts';
import { readCommitParts } from '../../../../sandbox/git/library/read-commit.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { commitNamed, fullRef, upstreamOf } from '../../../../sandbox/git/library/revisions.ts';
import { treeChanges } from '../../../../sandbox/git/library/tree-changes.ts';
import { mergeMessage } from '../../../../sandbox/git/merge-conflict.ts';
import { statsOf, statText, summaryText } from '../diff/change-stats.ts';
import { fileChanges } from '../diff/file-changes.ts';
import { findRenames } from '../diff/find-renames.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import type { Favor } from '../merge/merge-lines.ts';
import { baseTree, mergeTrees } from '../merge/merge-trees.ts';
import { assertMerged } from './commit-commands.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { subjectOf } from './history-commit.ts';
import { shortRef } from './list-refs.ts';
import { cleanMessage, commitSummary, headTreeOf, writeCommit, writeIndexTree } from './make-commit.ts';
import { moveRef } from './move-ref.ts';
import { mergeState, operationUnderWay, removeState, stateFile, writeStateFile } from './operation-state.ts';
import { parseWords } from './parse-words.ts';
import { resetHard } from './reset-command.ts';
import { applyMerge, assertIndexIsHead, switchTree, treeOfHead } from './switch-tree.ts';
import { reachable, walkHistory } from './walk-history.ts';

export interface MergeAsk {
  readonly theirs: string;
  /** As the message names it: `branch 'topic'`. */
  readonly name: string;
  /** As the marks of a conflict, and the log of refs, name it. */
  readonly label: string;
  readonly verb: string;
  readonly isForwardOnly?: boolean;
  readonly isNeverForward?: boolean;
  readonly isSquashed?: boolean;
  readonly commits?: boolean;
  readonly message?: string | undefined;
  readonly favor?: Favor;
  readonly isQuiet?: boolean;
  readonly showsStat?: boolean;
}

const merge: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: [
      'quiet q',
      'no-edit',
      'edit e',
      'ff',
      'ff-only',
      'no-ff',
      'abort',
      'continue',
      'quit',
      'squash',
      'no-squash',
      'commit',
      'no-commit',
      'stat',
      'no-stat n',
      'no-verify',
      'verbose v',
      'allow-unrelated-histories',
    ],
    values: ['message m', 'file F', 'strategy-option X', 'strategy s'],
  });
  for (const option of ['file', 'allow-unrelated-histories', 'edit'])
    if (parsed.has(option))
      throw new NotInShellError(`fatal: the git of a shell has no --${option} of merge`);
  const strategy = parsed.value('strategy');
  if (strategy !== undefined && !['ort', 'recursive'].includes(strategy))
    throw new NotInShellError(`fatal: the git of a shell has no merge strategy '${strategy}'`);
  const favor = parsed.value('strategy-option');
  if (favor !== undefined && favor !== 'ours' && favor !== 'theirs')
    throw new NotInShellError(`fatal: the git of a shell knows no -X ${favor}`);
  return git.change(async (repository) => {
    if (parsed.has('abort')) return abortMerge(git, repository);
    if (parsed.has('quit')) {
      await removeState(repository, mergeState);
      return 0;
    }
    if (parsed.has('continue')) return continueMerge(git, repository);
    if (parsed.operands.length > 1)
      throw new NotInShellError('fatal: the git of a shell merges one commit at a time', 128);
    const [named] = parsed.operands;
    const ref = named ?? (await followed(repository));
    const theirs = await commitNamed(repository, ref).catch(() => {
      throw new GitCommandError(`merge: ${ref} - not something we can merge`, 1);
    });
    const paragraphs = parsed.values('message');
    return mergeInto(git, repository, {
      theirs,
      name: await nameOf(repository, ref),
      label: named ?? shortRef(ref),
      verb: 'merge',
      isForwardOnly: parsed.has('ff-only') || (await repository.setting('merge.ff')) === 'only',
      isNeverForward:
        parsed.has('no-ff') || (!parsed.has('ff') && (await repository.setting('merge.ff')) === 'false'),
      isSquashed: parsed.has('squash'),
      commits: !parsed.has('no-commit'),
      message: paragraphs.length === 0 ? undefined : paragraphs.join('\n\n'),
      favor,
      isQuiet: parsed.has('quiet'),
      showsStat: !parsed.has('no-stat'),
    });
  });
};

export const mergeCommands: Readonly<Record<string, GitCommand>> = { merge };

async function followed(repository: Repository): Promise<string> {
  const branch = await repository.branch();
  const upstream = branch === undefined ? undefined : await upstreamOf(repository, branch);
  if (upstream === undefined) throw new GitCommandError('fatal: No remote for the current branch.');
  return upstream;
}

/** What a revision is, as git names it in the message of a merge. */
async function nameOf(repository: Repository, ref: string): Promise<string> {
  const full = await fullRef(repository, ref);
  if (full?.startsWith('refs/heads/')) return `branch '${full.slice(11)}'`;
  if (full?.startsWith('refs/tags/')) return `tag '${full.slice(10)}'`;
  return full?.startsWith('refs/remotes/') ? `remote-tracking branch '${full.slice(13)}'` : `commit '${ref}'`;
}

/** Merges a commit into HEAD, and says what has come of it. Conflicts stay in index and files. @throws GitCommandError */
export async function mergeInto(git: GitCall, repository: Repository, ask: MergeAsk): Promise<number> {
  const { theirs, name, label, verb } = ask;
  const operation = await operationUnderWay(repository);
  if (operation?.kind === 'merge')
    throw new GitCommandError(
      'error: You have not concluded your merge (MERGE_HEAD exists).\nhint: Please, commit your changes before merging.\nfatal: Exiting because of unfinished merge.',
    );
  const head = await repository.head();
  const say = (text: string) => {
    if (!ask.isQuiet) git.out.add(text);
  };
  if (head === undefined) {
    await switchTree(repository, {
      from: await treeOfHead(repository),
      to: theirs,
      verb,
      finish: async () => {},
    });
    await moveRef(git, repository, { ref: 'HEAD', oid: theirs, message: 'initial pull' });
    return 0;
  }
  const [bases, mine] = [await mergeBases(repository, head, theirs), await reachable(repository, [head])];
  if (mine.has(theirs)) {
    say(`Already up to date.${ask.isSquashed ? ' (nothing to squash)' : ''}\n`);
    return 0;
  }
  if (bases.length === 0) throw new GitCommandError('fatal: refusing to merge unrelated histories');
  await writeStateFile(repository, 'ORIG_HEAD', `${head}\n`);
  const isForward = bases.includes(head);
  if (isForward && !ask.isNeverForward) return forward(git, repository, { ...ask, head, say });
  if (ask.isForwardOnly) throw new GitCommandError('fatal: Not possible to fast-forward, aborting.');
  await assertIndexIsHead(repository, 'merge');
  const [ours, other] = [await headTreeOf(repository), (await readCommitParts(repository, theirs)).tree];
  const merged = await mergeTrees(repository, {
    base: await baseTree(repository, head, theirs),
    ours,
    theirs: other,
    labels: { ours: 'HEAD', theirs: label },
    favor: ask.favor,
  });
  await applyMerge(repository, { merged, verb });
  for (const message of merged.messages) git.out.add(`${message}\n`);
  const branch = await repository.branch();
  const message = cleanMessage(ask.message ?? mergeMessage(name, branch));
  if (ask.isSquashed) {
    await writeStateFile(repository, 'SQUASH_MSG', await squashMessage(repository, { head, theirs }));
    say('Squash commit -- not updating HEAD\n');
    if (!merged.isClean) return failed(git);
    await git.warn('Automatic merge went well; stopped before committing as requested');
    return 0;
  }
  if (!merged.isClean || ask.commits === false) {
    const conflicts = merged.paths.filter(({ sides }) => sides).map(({ path }) => `#\t${path}\n`);
    await writeStateFile(repository, 'MERGE_HEAD', `${theirs}\n`);
    await writeStateFile(repository, 'MERGE_MODE', ask.isNeverForward ? 'no-ff' : '');
    await writeStateFile(
      repository,
      'MERGE_MSG',
      `${message}${conflicts.length > 0 ? `\n# Conflicts:\n${conflicts.join('')}` : ''}`,
    );
    if (!merged.isClean) return failed(git);
    await git.warn('Automatic merge went well; stopped before committing as requested');
    return 0;
  }
  const tree = await writeIndexTree(repository);
  const id = await writeCommit(git, repository, {
    tree,
    parents: [head, theirs],
    message,
    author: await git.signature(repository, 'AUTHOR'),
  });
  await moveRef(git, repository, {
    ref: 'HEAD',
    oid: id,
    message: `${verb === 'pull' ? verb : `merge ${label}`}: Merge made by the 'ort' strategy.`,
  });
  say("Merge made by the 'ort' strategy.\n");
  if (ask.showsStat !== false) say(await mergeStat(repository, ours, tree));
  return 0;
}

function failed(git: GitCall): number {
  git.out.add('Automatic merge failed; fix conflicts and then commit the result.\n');
  return 1;
}

async function forward(
  git: GitCall,
  repository: Repository,
  {
    theirs,
    label,
    verb,
    head,
    isSquashed,
    say,
    showsStat,
  }: MergeAsk & { readonly head: string; readonly say: (text: string) => void },
): Promise<number> {
  const older = await headTreeOf(repository);
  await switchTree(repository, { from: head, to: theirs, verb: 'merge', finish: async () => {} });
  say(`Updating ${head.slice(0, 7)}..${theirs.slice(0, 7)}\n`);
  say(isSquashed ? 'Fast-forward\nSquash commit -- not updating HEAD\n' : 'Fast-forward\n');
  if (isSquashed)
    await writeStateFile(repository, 'SQUASH_MSG', await squashMessage(repository, { head, theirs }));
  else
    await moveRef(git, repository, {
      ref: 'HEAD',
      oid: theirs,
      message: `${verb === 'pull' ? verb : `merge ${label}`}: Fast-forward`,
    });
  const { tree } = await readCommitParts(repository, theirs);
  if (showsStat !== false) say(await mergeStat(repository, older, tree));
  return 0;
}

/** Which files a merge changed, and by how much. */
async function mergeStat(repository: Repository, older: string, newer: string): Promise<string> {
  if ((await treeChanges(repository, { older, newer })).length === 0) return '';
  const changes = await findRenames(
    repository,
    await fileChanges(repository, { older: { tree: older }, newer: { tree: newer } }),
  );
  return `${statText(repository, await statsOf(repository, changes))}${summaryText(repository, changes)}`;
}

async function squashMessage(
  repository: Repository,
  { head, theirs }: { readonly head: string; readonly theirs: string },
): Promise<string> {
  const { commitText } = await import('./log-format.ts');
  const style = {
    format: 'medium',
    isTerminated: false,
    date: undefined,
    isWholeId: true,
    decorations: undefined,
  };
  let text = 'Squashed commit of the following:\n';
  for await (const commit of walkHistory(repository, { tips: [theirs], excluded: [head] }))
    if (commit.parents.length < 2) text += `\n${commitText({ commit, style })}`;
  return text;
}

async function abortMerge(git: GitCall, repository: Repository): Promise<number> {
  if ((await stateFile(repository, 'MERGE_HEAD')) === undefined)
    throw new GitCommandError('fatal: There is no merge to abort (MERGE_HEAD missing).');
  const head = await repository.head();
  if (head !== undefined) await resetHard(git, repository, { target: head, isMerge: true });
  await removeState(repository, mergeState);
  return 0;
}

async function continueMerge(git: GitCall, repository: Repository): Promise<number> {
  const operation = await operationUnderWay(repository);
  if (operation?.kind !== 'merge')
    throw new GitCommandError('fatal: There is no merge in progress (MERGE_HEAD missing).');
  await assertMerged(git, repository);
  const head = (await repository.head()) ?? '';
  const message = cleanMessage((await stateFile(repository, 'MERGE_MSG')) ?? '', { dropsComments: true });
  const tree = await writeIndexTree(repository);
  const id = await writeCommit(git, repository, {
    tree,
    parents: [head, ...operation.commits],
    message,
    author: await git.signature(repository, 'AUTHOR'),
  });
  await moveRef(git, repository, { ref: 'HEAD', oid: id, message: `commit (merge): ${subjectOf(message)}` });
  await removeState(repository, mergeState);
  git.out.add(await commitSummary(git, repository, id));
  return 0;
}

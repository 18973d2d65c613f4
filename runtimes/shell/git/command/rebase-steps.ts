import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { commitNamed } from '../../../../sandbox/git/library/revisions.ts';
import { fileChanges } from '../diff/file-changes.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import { assertMerged } from './commit-commands.ts';
import type { GitCall } from './git-call.ts';
import { type HistoryCommit, readHistoryCommit, subjectOf } from './history-commit.ts';
import { cleanMessage, commitSummary, headTreeOf, writeCommit, writeIndexTree } from './make-commit.ts';
import { moveHead, moveRef } from './move-ref.ts';
import { mergeState, operationUnderWay, removeState, stateFile, writeStateFile } from './operation-state.ts';
import { pickCommit } from './pick-commit.ts';
import { authorScript, parseAuthor } from './rebase-commits.ts';
import { resetHard } from './reset-command.ts';
import { switchTree } from './switch-tree.ts';

/** Where real git keeps what a rebase has left to do. */
export const rebaseFolder = 'rebase-merge';

/** Brings commits onto HEAD, one after the other, and ends the rebase; or stops at a conflict. */
export async function pickAll(
  git: GitCall,
  repository: Repository,
  commits: readonly HistoryCommit[],
): Promise<number> {
  const line = ({ id, message }: HistoryCommit) => `pick ${id} ${subjectOf(message)}\n`;
  for (const [index, commit] of commits.entries()) {
    await writeStateFile(
      repository,
      `${rebaseFolder}/git-rebase-todo`,
      commits
        .slice(index + 1)
        .map(line)
        .join(''),
    );
    await writeStateFile(
      repository,
      `${rebaseFolder}/done`,
      `${(await stateFile(repository, `${rebaseFolder}/done`)) ?? ''}${line(commit)}`,
    );
    const number = Number((await stateFile(repository, `${rebaseFolder}/msgnum`)) ?? 0) + 1;
    await writeStateFile(repository, `${rebaseFolder}/msgnum`, `${number}\n`);
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
    await writeStateFile(repository, `${rebaseFolder}/message`, commit.message);
    await writeStateFile(repository, `${rebaseFolder}/stopped-sha`, `${commit.id.slice(0, 7)}\n`);
    await writeStateFile(repository, `${rebaseFolder}/author-script`, authorScript(commit.author));
    await writeStateFile(repository, 'REBASE_HEAD', `${commit.id}\n`);
    await git.warn(
      `error: could not apply ${commit.id.slice(0, 7)}... ${subjectOf(commit.message)}\nhint: Resolve all conflicts manually, mark them as resolved with\nhint: "git add/rm <conflicted_files>", then run "git rebase --continue".\nhint: You can instead skip this commit: run "git rebase --skip".\nhint: To abort and get back to the state before "git rebase", run "git rebase --abort".\nCould not apply ${commit.id.slice(0, 7)}... ${subjectOf(commit.message)}`,
    );
    return 1;
  }
  return finish(git, repository);
}

async function finish(git: GitCall, repository: Repository): Promise<number> {
  const name = ((await stateFile(repository, `${rebaseFolder}/head-name`)) ?? '').trim();
  const onto = ((await stateFile(repository, `${rebaseFolder}/onto`)) ?? '').trim();
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
  await removeState(repository, [rebaseFolder, 'REBASE_HEAD', ...mergeState]);
  await git.warn(
    name.startsWith('refs/heads/')
      ? `Successfully rebased and updated ${name}.`
      : 'Successfully rebased and updated detached HEAD.',
  );
  return 0;
}

/** What `--continue`, `--skip`, `--abort` and `--quit` do. @throws GitCommandError */
export async function goOnRebasing(
  git: GitCall,
  repository: Repository,
  verb: 'abort' | 'continue' | 'skip' | 'quit',
): Promise<number> {
  const operation = await operationUnderWay(repository);
  const name = ((await stateFile(repository, `${rebaseFolder}/head-name`)) ?? '').trim();
  if (operation?.kind !== 'rebase' && name === '') throw new GitCommandError('fatal: No rebase in progress?');
  if (name === '')
    throw new NotInShellError(
      'fatal: the git of a shell does not go on with a rebase of patches (rebase --apply)',
      128,
    );
  if (verb === 'quit') {
    await removeState(repository, [rebaseFolder, 'REBASE_HEAD', ...mergeState]);
    return 0;
  }
  const head = (await repository.head()) ?? '';
  if (verb === 'abort') {
    const target = ((await stateFile(repository, `${rebaseFolder}/orig-head`)) ?? '').trim();
    await resetHard(git, repository, { target });
    const branch = name.startsWith('refs/heads/') ? name.slice(11) : undefined;
    await moveHead(git, repository, {
      branch,
      oid: target,
      message: `rebase (abort): returning to ${branch === undefined ? target : name}`,
    });
    await removeState(repository, [rebaseFolder, 'REBASE_HEAD', ...mergeState]);
    return 0;
  }
  const todo = ((await stateFile(repository, `${rebaseFolder}/git-rebase-todo`)) ?? '')
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
    `${rebaseFolder}/message`,
    `${rebaseFolder}/author-script`,
    `${rebaseFolder}/stopped-sha`,
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
    (await stateFile(repository, 'MERGE_MSG')) ??
    (await stateFile(repository, `${rebaseFolder}/message`)) ??
    '';
  const message = cleanMessage(text, { dropsComments: true });
  const script = await stateFile(repository, `${rebaseFolder}/author-script`);
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

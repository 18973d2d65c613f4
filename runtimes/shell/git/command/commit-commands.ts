import { treeOfFiles } from '../../../../sandbox/git/library/commit-trees.ts';
import { indexRows } from '../../../../sandbox/git/library/index-rows.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { commitNamed } from '../../../../sandbox/git/library/revisions.ts';
import { absolutePath } from '../../../../shell/files/absolute-path.ts';
import { readAll } from '../../../../shell/programs/streams/input.ts';
import { decodeText } from '../../../../shell/text.ts';
import { filesOfTree } from '../diff/file-changes.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { type HistoryCommit, readHistoryCommit, type Signature, subjectOf } from './history-commit.ts';
import { cleanMessage, commitSummary, headTreeOf, writeCommit, writeIndexTree } from './make-commit.ts';
import { moveRef } from './move-ref.ts';
import { mergeState, type Operation, operationUnderWay, removeState, stateFile } from './operation-state.ts';
import { type ParsedWords, parseWords } from './parse-words.ts';
import { isExclusion, isWithinPaths } from './path-patterns.ts';
import { stagePaths } from './stage-paths.ts';
import { longStatus } from './status-command.ts';
import { parseTime } from './time-of.ts';
import { unmergedOf, workStatus } from './work-status.ts';

const commit: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: [
      ...[
        'all a',
        'quiet q',
        'amend',
        'allow-empty',
        'allow-empty-message',
        'no-edit',
        'edit e',
        'no-verify n',
        'no-gpg-sign',
        'verbose v',
        'signoff s',
      ],
      ...['include i', 'only o', 'reset-author', 'no-status', 'dry-run'],
    ],
    values: ['message m', 'file F', 'author', 'date', 'reuse-message C', 'fixup', 'squash', 'cleanup'],
  });
  for (const option of ['include', 'fixup', 'squash', 'cleanup', 'edit', 'dry-run'])
    if (parsed.has(option))
      throw new NotInShellError(`fatal: the git of a shell has no --${option} of commit`);
  return git.change((repository) => makeCommit(git, repository, parsed));
};

export const commitCommands: Readonly<Record<string, GitCommand>> = { commit };

async function makeCommit(git: GitCall, repository: Repository, parsed: ParsedWords): Promise<number> {
  const paths = git.treePaths([...parsed.operands, ...parsed.paths]);
  if (parsed.has('all') && paths.length > 0)
    throw new GitCommandError(
      `fatal: paths '${parsed.operands[0] ?? paths[0]} ...' with -a does not make sense`,
    );
  const operation = await operationUnderWay(repository);
  if (paths.length > 0 && operation?.kind === 'merge')
    throw new GitCommandError('fatal: cannot do a partial commit during a merge.');
  if (paths.length > 0) await stageNamed(repository, { paths, names: [...parsed.operands, ...parsed.paths] });
  else if (parsed.has('all')) await stagePaths(repository, { paths: [], isUpdate: true });
  await assertMerged(git, repository);
  const before = await repository.head();
  const isAmended = parsed.has('amend');
  if (isAmended && before === undefined) throw new GitCommandError('fatal: You have nothing yet to amend.');
  if (isAmended && operation && operation.kind !== 'rebase')
    throw new GitCommandError(`fatal: You are in the middle of a ${operation.kind} -- cannot amend.`);
  const amended = isAmended && before !== undefined ? await readHistoryCommit(repository, before) : undefined;
  const merged = operation?.kind === 'merge' ? operation.commits : [];
  const parents = amended?.parents ?? [...(before === undefined ? [] : [before]), ...merged];
  const tree = paths.length > 0 ? await treeWithOnly(repository, paths) : await writeIndexTree(repository);
  const isSame = tree === (await headTreeOf(repository));
  if (isSame && !isAmended && merged.length === 0 && !parsed.has('allow-empty')) {
    await longStatus(git, repository, { found: await workStatus(repository), isOfCommit: true });
    return 1;
  }
  const message = await messageOf(git, repository, { parsed, amended, operation });
  const author = await authorOf(git, repository, { parsed, amended, operation });
  const id = await writeCommit(git, repository, { tree, parents, message, author });
  const kind = isAmended
    ? ' (amend)'
    : before === undefined
      ? ' (initial)'
      : merged.length > 0
        ? ' (merge)'
        : operation?.kind === 'cherry-pick'
          ? ' (cherry-pick)'
          : '';
  await moveRef(git, repository, { ref: 'HEAD', oid: id, message: `commit${kind}: ${subjectOf(message)}` });
  await removeState(repository, mergeState);
  if (!parsed.has('quiet')) {
    const showsDate =
      isAmended || parsed.has('date') || parsed.has('reuse-message') || operation?.kind === 'cherry-pick';
    git.out.add(await commitSummary(git, repository, id, { showsDate }));
  }
  return 0;
}

/** @throws GitCommandError where the index has conflicts */
export async function assertMerged(git: GitCall, repository: Repository): Promise<void> {
  const unmerged = unmergedOf(await indexRows(repository));
  if (unmerged.size === 0) return;
  for (const path of unmerged.keys()) git.out.add(`U\t${path}\n`);
  throw new GitCommandError(
    "error: Committing is not possible because you have unmerged files.\nhint: Fix them up in the work tree, and then use 'git add/rm <file>'\nhint: as appropriate to mark resolution and make a commit.\nfatal: Exiting because of an unresolved conflict.",
  );
}

async function stageNamed(
  repository: Repository,
  { paths, names }: { readonly paths: readonly string[]; readonly names: readonly string[] },
): Promise<void> {
  const known = await indexRows(repository);
  for (const [index, path] of paths.entries())
    if (!isExclusion(path) && !known.some((row) => isWithinPaths([path], row.path)))
      throw new GitCommandError(
        `error: pathspec '${names[index]}' did not match any file(s) known to git`,
        1,
      );
  await stagePaths(repository, { paths, isUpdate: true });
}

/** HEAD, with what the index has at these paths. */
async function treeWithOnly(repository: Repository, paths: readonly string[]): Promise<string> {
  const head = await headTreeOf(repository);
  const files = await filesOfTree(repository, head);
  for (const path of [...files.keys()]) if (isWithinPaths(paths, path)) files.delete(path);
  for (const { path, oid, mode, stage } of await indexRows(repository))
    if (stage === 0 && isWithinPaths(paths, path)) files.set(path, { oid, mode });
  const made = treeOfFiles(
    repository,
    [...files].map(([path, file]) => ({ ...file, path })),
  );
  await made.write(head);
  return made.oid;
}

interface Written {
  readonly parsed: ParsedWords;
  readonly amended: HistoryCommit | undefined;
  readonly operation: Operation | undefined;
}

async function messageOf(
  git: GitCall,
  repository: Repository,
  { parsed, amended, operation }: Written,
): Promise<string> {
  const file = parsed.value('file');
  const reused = parsed.value('reuse-message');
  let text: string | undefined;
  let dropsComments = false;
  if (file === '-') text = decodeText(await readAll(git.call.stdin, git.call.signal));
  else if (file !== undefined) text = decodeText(git.call.files.readFile(absolutePath(git.cwd, file)));
  else if (reused !== undefined)
    text = (await readHistoryCommit(repository, await commitNamed(repository, reused))).message;
  else if (parsed.has('message')) text = parsed.values('message').join('\n\n');
  else if (amended) text = amended.message;
  else {
    // What a merge or a pick has left; an editor would be shown it, and here it stands as it is.
    dropsComments = !parsed.has('no-edit');
    text =
      (operation ? await stateFile(repository, 'MERGE_MSG') : undefined) ??
      (await stateFile(repository, 'SQUASH_MSG')) ??
      (await stateFile(repository, 'MERGE_MSG'));
  }
  if (text === undefined)
    throw new GitCommandError(
      'error: there is no editor here\nPlease supply the message using either -m or -F option.',
      1,
    );
  let message = cleanMessage(text, { dropsComments });
  if (parsed.has('signoff')) {
    const { name, email } = await git.signature(repository, 'COMMITTER');
    const line = `Signed-off-by: ${name} <${email}>\n`;
    if (!message.endsWith(line))
      message = `${message}${/\n[A-Za-z-]+: [^\n]*\n$/.test(message) ? '' : '\n'}${line}`;
  }
  if (message === '' && !parsed.has('allow-empty-message'))
    throw new GitCommandError('Aborting commit due to empty commit message.', 1);
  return message;
}

async function authorOf(
  git: GitCall,
  repository: Repository,
  { parsed, amended, operation }: Written,
): Promise<Signature> {
  const reused = parsed.value('reuse-message');
  const picked = operation?.kind === 'cherry-pick' ? operation.commit : undefined;
  const known =
    reused !== undefined || picked !== undefined
      ? await readHistoryCommit(repository, await commitNamed(repository, reused ?? picked ?? ''))
      : parsed.has('reset-author')
        ? undefined
        : amended;
  // Who amends a commit is its committer: its author stays, and when it was written.
  const author = known?.author ?? (await git.signature(repository, 'AUTHOR'));
  const named = parsed.value('author');
  const [, name, email] = /^([^<]+?) *<([^>]+)>$/.exec(named ?? '') ?? [];
  if (named !== undefined && (name === undefined || email === undefined))
    throw new GitCommandError(
      `fatal: --author '${named}' is not 'Name <email>' and matches no existing author`,
    );
  const date = parsed.value('date');
  return {
    ...author,
    ...(name && email ? { name, email } : {}),
    ...(date === undefined ? {} : parseTime(git.call, date)),
  };
}

import { treeOfFiles } from '../../../../sandbox/git/library/commit-trees.ts';
import { indexRows } from '../../../../sandbox/git/library/index-rows.ts';
import { readCommitParts } from '../../../../sandbox/git/library/read-commit.ts';
import { emptyTree, type Repository } from '../../../../sandbox/git/library/repository.ts';
import { encodeText } from '../../../../shell/text.ts';
import { shortStat, statsOf, summaryText } from '../diff/change-stats.ts';
import { fileChanges } from '../diff/file-changes.ts';
import { findRenames } from '../diff/find-renames.ts';
import { GitCommandError } from '../git-command-error.ts';
import { dateText } from './date-text.ts';
import type { GitCall } from './git-call.ts';
import { readHistoryCommit, type Signature, signatureLine, subjectOf } from './history-commit.ts';

interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: Signature;
}

/** The tree of the index, written. @throws GitCommandError where it has conflicts */
export async function writeIndexTree(repository: Repository): Promise<string> {
  const rows = await indexRows(repository);
  if (rows.some(({ stage }) => stage > 0)) throw new GitCommandError('error: the index has conflicts', 128);
  const made = treeOfFiles(repository, rows);
  if (made.oid !== emptyTree || rows.length === 0) await made.write(await headTreeOf(repository));
  return made.oid;
}

/** The tree of HEAD; of nothing before the first commit. */
export async function headTreeOf(repository: Repository): Promise<string> {
  const head = await repository.head();
  if (head === undefined) return emptyTree;
  return (await readCommitParts(repository, head)).tree;
}

/** Writes a commit; nothing refers to it yet. */
export async function writeCommit(
  git: GitCall,
  repository: Repository,
  { tree, parents, message, author }: NewCommit,
): Promise<string> {
  const { library, at } = repository;
  if (message.includes('\0'))
    throw new GitCommandError('error: a NUL byte in commit log message not allowed.');
  const committer = await git.signature(repository, 'COMMITTER');
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${personLine(author)}`,
    `committer ${personLine(committer)}`,
  ];
  // The library would end each message with a newline, which that of a stash has not.
  const object = encodeText(`${lines.join('\n')}\n\n${message}`);
  return library.writeObject({ ...at, type: 'commit', object, format: 'content' });
}

/** Without what would end a name, or the line. */
function personLine({ name, email, ...time }: Signature): string {
  const plain = (text: string) => text.replaceAll(/[<>\n\0]/g, '').trim();
  return signatureLine({ ...time, name: plain(name), email: plain(email) });
}

/** A message without blanks at ends of lines, without blank lines at both ends or more than one between; without comments where it asks for that. */
export function cleanMessage(
  text: string,
  { dropsComments = false }: { readonly dropsComments?: boolean } = {},
): string {
  const lines = text.split('\n').map((line) => line.trimEnd());
  const kept = dropsComments ? lines.filter((line) => !line.startsWith('#')) : lines;
  const result: string[] = [];
  for (const line of kept) if (line !== '' || (result.length > 0 && result.at(-1) !== '')) result.push(line);
  while (result.at(-1) === '') result.pop();
  return result.length === 0 ? '' : `${result.join('\n')}\n`;
}

/** `[main 1234567] subject`, and what changed, as `commit` and `cherry-pick` print it. */
export async function commitSummary(
  git: GitCall,
  repository: Repository,
  id: string,
  { showsDate = false }: { readonly showsDate?: boolean } = {},
): Promise<string> {
  const commit = await readHistoryCommit(repository, id);
  const place = (await repository.branch()) ?? 'detached HEAD';
  const root = commit.parents.length === 0 ? ' (root-commit)' : '';
  const { author } = commit;
  const { name, email } = await git.signature(repository, 'COMMITTER');
  const by =
    author.name === name && author.email === email ? '' : ` Author: ${author.name} <${author.email}>\n`;
  const date = showsDate ? ` Date: ${dateText(author)}\n` : '';
  const changes =
    commit.parents.length > 1
      ? ''
      : await changeSummary(repository, commit.parents[0] ?? emptyTree, commit.tree);
  return `[${place}${root} ${id.slice(0, 7)}] ${subjectOf(commit.message)}\n${by}${date}${changes}`;
}

/** How much differs between two trees, and which files came and went. */
async function changeSummary(repository: Repository, older: string, newer: string): Promise<string> {
  const changes = await findRenames(
    repository,
    await fileChanges(repository, { older: { tree: older }, newer: { tree: newer } }),
  );
  return `${shortStat(await statsOf(repository, changes))}${summaryText(repository, changes)}`;
}

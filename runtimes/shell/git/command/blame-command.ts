import { emptyTree, type Repository } from '../../../../sandbox/git/library/repository.ts';
import { objectOf, treeNamed } from '../../../../sandbox/git/library/revisions.ts';
import type { Hunk } from '../../../../shell/programs/compare/line-differences.ts';
import { contentOf, type FileSide, FilesLook, fileChanges, textOf } from '../diff/file-changes.ts';
import { findRenames } from '../diff/find-renames.ts';
import { linesOf, textDifferences } from '../diff/text-hunks.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import { dateText } from './date-text.ts';
import type { GitCommand } from './git-call.ts';
import { type HistoryCommit, readHistoryCommit, subjectOf, zoneText } from './history-commit.ts';
import { parseWords } from './parse-words.ts';

/** A line of the file, and where it came to be. */
interface BlamedLine {
  readonly text: string;
  commit: HistoryCommit | undefined;
  path: string;
  /** From 0, in the commit's file. */
  at: number;
  previous: string;
}

/** Lines whose commit is still sought, by where they stand in the file of one commit. */
interface Suspect {
  readonly commit: HistoryCommit;
  readonly side: FileSide;
  readonly lines: ReadonlyMap<number, BlamedLine>;
}

const blame: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: [
      's',
      'e show-email',
      'l',
      'porcelain p',
      'line-porcelain',
      'n show-number',
      'f show-name',
      'root',
      't',
    ],
    values: ['L', 'date'],
  });
  const names = [...parsed.operands, ...parsed.paths];
  const path = names.pop();
  if (path === undefined || names.length > 1)
    throw new GitCommandError('usage: git blame [<options>] [<rev>] [--] <file>', 129);
  const repository = await git.open();
  const [file = ''] = git.treePaths([path]);
  const lines = await blamedLines(repository, { file, revision: names[0] });
  const [from, to] = rangeOf(parsed.values('L'), lines.length, file);
  const shown = lines.slice(from, to);
  if (parsed.has('porcelain') || parsed.has('line-porcelain')) {
    git.out.add(porcelain(shown, { from, isWhole: parsed.has('line-porcelain'), file }));
    return 0;
  }
  const nameOf = ({ commit }: BlamedLine) => {
    if (!commit) return parsed.has('e') ? '<not.committed.yet>' : 'Not Committed Yet';
    return parsed.has('e') ? `<${commit.author.email}>` : commit.author.name;
  };
  const width = Math.max(0, ...shown.map((line) => nameOf(line).length));
  const paths = new Set(shown.map((line) => line.path));
  const showsPath = parsed.has('f') || paths.size > 1;
  const pathWidth = Math.max(0, ...[...paths].map((each) => each.length));
  const numberWidth = String(to).length;
  const oldWidth = Math.max(0, ...shown.map(({ at }) => String(at + 1).length));
  for (const [index, line] of shown.entries()) {
    const { commit } = line;
    const length = parsed.has('l') ? 40 : 8;
    const isRoot = commit !== undefined && commit.parents.length === 0 && !parsed.has('root');
    const id = commit?.id ?? '0'.repeat(40);
    const shownId = isRoot ? `^${id.slice(0, length - 1)}` : id.slice(0, length);
    const name = showsPath ? ` ${line.path.padEnd(pathWidth)}` : '';
    const number = parsed.has('n') ? ` ${String(line.at + 1).padStart(oldWidth)}` : '';
    const now = { seconds: Math.floor(Date.now() / 1_000), zoneMinutes: 0 };
    const date = parsed.has('t')
      ? `${(commit?.author ?? now).seconds} ${zoneText((commit?.author ?? now).zoneMinutes)}`
      : dateText(commit?.author ?? now, parsed.value('date') ?? 'iso');
    const who = parsed.has('s') ? '' : `(${nameOf(line).padEnd(width)} ${date} `;
    git.out.add(
      `${shownId}${name}${number} ${who}${String(from + index + 1).padStart(numberWidth)}) ${line.text}\n`,
    );
    if (git.out.isFull) await git.out.flush();
  }
  return 0;
};

export const blameCommands: Readonly<Record<string, GitCommand>> = { blame, annotate: blame };

async function blamedLines(
  repository: Repository,
  { file, revision }: { readonly file: string; readonly revision: string | undefined },
): Promise<BlamedLine[]> {
  const head = await repository.head();
  const start = revision ?? head;
  if (start === undefined) throw new GitCommandError('fatal: no such ref: HEAD');
  const object = await objectOf(repository, `${start}:${file}`).catch(() => undefined);
  if (object?.type !== 'blob')
    throw new GitCommandError(`fatal: no such path '${file}' in ${revision ?? 'HEAD'}`);
  const side: FileSide = { path: file, oid: object.oid, mode: object.mode ?? 0o100644 };
  const commit = await readHistoryCommit(repository, (await objectOf(repository, `${start}^{commit}`)).oid);
  const files =
    revision === undefined ? await (await FilesLook.open(repository)).at(file, undefined) : undefined;
  if (revision === undefined && !files)
    throw new GitCommandError(`fatal: Cannot lstat '${file}': No such file or directory`);
  const own = linesOf(textOf(await contentOf(repository, files ?? side)));
  const lines = own.lines.map(
    (text, at): BlamedLine => ({ text, commit: undefined, path: file, at, previous: '' }),
  );
  let open = new Map(lines.entries());
  if (files && files.oid !== side.oid) {
    const committed = linesOf(textOf(await contentOf(repository, side)));
    open = passedOn(open, await textDifferences(committed, own, { signal: repository.signal }));
    for (const line of lines) line.previous = `${commit.id} ${file}`;
  }
  const waiting: Suspect[] = [{ commit, side, lines: open }];
  while (waiting.length > 0) {
    repository.signal.throwIfAborted();
    // The youngest first, so that lines of one commit that are reached by two ways are met together.
    waiting.sort((a, b) => a.commit.committer.seconds - b.commit.committer.seconds);
    const suspect = waiting.pop();
    if (!suspect || suspect.lines.size === 0) continue;
    waiting.push(...(await passToParents(repository, suspect)));
  }
  return lines;
}

/** Gives each parent the lines that it has; the rest came to be in the commit. */
async function passToParents(repository: Repository, { commit, side, lines }: Suspect): Promise<Suspect[]> {
  const found: Suspect[] = [];
  let open = new Map(lines);
  const own = linesOf(textOf(await contentOf(repository, side)));
  let previous = '';
  for (const parent of commit.parents) {
    if (open.size === 0) break;
    const older = await sideIn(repository, { parent, commit, path: side.path });
    if (!older) continue;
    previous ||= `${parent} ${older.path}`;
    const parentCommit = await readHistoryCommit(repository, parent);
    if (older.oid === side.oid) {
      found.push({ commit: parentCommit, side: older, lines: open });
      open = new Map();
      break;
    }
    const before = linesOf(textOf(await contentOf(repository, older)));
    const passed = passedOn(open, await textDifferences(before, own, { signal: repository.signal }));
    const taken = new Set(passed.values());
    found.push({ commit: parentCommit, side: older, lines: passed });
    open = new Map([...open].filter(([, line]) => !taken.has(line)));
  }
  for (const [at, line] of open) Object.assign(line, { commit, path: side.path, at, previous });
  return found;
}

/** Those of some lines that an older text has too, by where they stand in it; both lists are in order. */
function passedOn(lines: ReadonlyMap<number, BlamedLine>, hunks: readonly Hunk[]): Map<number, BlamedLine> {
  const passed = new Map<number, BlamedLine>();
  let [next, shift] = [0, 0];
  for (const [at, line] of lines) {
    for (let hunk = hunks[next]; hunk && hunk.newStart + hunk.newCount <= at; hunk = hunks[next]) {
      shift += hunk.oldCount - hunk.newCount;
      next += 1;
    }
    const hunk = hunks[next];
    if (!hunk || at < hunk.newStart) passed.set(at + shift, line);
  }
  return passed;
}

/** A file as the parent has it, by the name that it had there. */
async function sideIn(
  repository: Repository,
  {
    parent,
    commit,
    path,
  }: { readonly parent: string; readonly commit: HistoryCommit; readonly path: string },
): Promise<FileSide | undefined> {
  const same = await objectOf(repository, `${parent}:${path}`).catch(() => undefined);
  if (same?.type === 'blob') return { path, oid: same.oid, mode: same.mode ?? 0o100644 };
  const tree = await treeNamed(repository, parent).catch(() => emptyTree);
  const changes = await findRenames(
    repository,
    await fileChanges(repository, { older: { tree }, newer: { tree: commit.tree } }),
  );
  return changes.find(({ kind, newer }) => kind === 'R' && newer?.path === path)?.older;
}

function rangeOf(asked: readonly string[], count: number, file: string): [from: number, to: number] {
  const [text] = asked;
  if (text === undefined) return [0, count];
  const [whole, first = '', comma, sign = '', second = ''] = /^(\d*)(?:(,)([+-]?)(\d*))?$/.exec(text) ?? [];
  if (whole === undefined || asked.length > 1 || (sign !== '' && second === ''))
    throw new NotInShellError(
      `fatal: the git of a shell takes one range of numbers, and no -L ${asked.join(' -L ')}`,
      128,
    );
  let from = Math.max(Number(first || 1), 1);
  let to = comma === undefined || second === '' ? count : Number(second);
  if (sign === '+') to = from + Number(second) - 1;
  if (sign === '-') [from, to] = [Math.max(from - Number(second) + 1, 1), from];
  if (from > count) throw new GitCommandError(`fatal: file ${file} has only ${count} lines`);
  if (to < from) [from, to] = [to, from];
  return [from - 1, Math.min(to, count)];
}

function porcelain(
  lines: readonly BlamedLine[],
  { from, isWhole, file }: { readonly from: number; readonly isWhole: boolean; readonly file: string },
): string {
  const told = new Set<string>();
  const parts: string[] = [];
  const goesOn = (one: BlamedLine | undefined, other: BlamedLine | undefined) =>
    one !== undefined &&
    one.commit?.id === other?.commit?.id &&
    one.path === other?.path &&
    other.at === one.at + 1;
  for (const [index, line] of lines.entries()) {
    const { commit } = line;
    let size = '';
    if (!goesOn(lines[index - 1], line)) {
      let end = index + 1;
      while (goesOn(lines[end - 1], lines[end])) end += 1;
      size = ` ${end - index}`;
    }
    const id = commit?.id ?? '0'.repeat(40);
    parts.push(`${id} ${line.at + 1} ${from + index + 1}${size}\n`);
    if (isWhole || !told.has(id)) parts.push(...(commit ? aboutCommit(commit, line) : aboutFile(file, line)));
    told.add(id);
    parts.push(`\t${line.text}\n`);
  }
  return parts.join('');
}

function aboutCommit(commit: HistoryCommit, { path, previous }: BlamedLine): string[] {
  const parts: string[] = [];
  for (const role of ['author', 'committer'] as const) {
    const who = commit[role];
    parts.push(
      `${role} ${who.name}\n${role}-mail <${who.email}>\n${role}-time ${who.seconds}\n${role}-tz ${zoneText(who.zoneMinutes)}\n`,
    );
  }
  parts.push(`summary ${subjectOf(commit.message)}\n`);
  if (commit.parents.length === 0) parts.push('boundary\n');
  else if (previous !== '') parts.push(`previous ${previous}\n`);
  parts.push(`filename ${path}\n`);
  return parts;
}

/** Of a line that is in the file only. */
function aboutFile(file: string, { path, previous }: BlamedLine): string[] {
  const seconds = Math.floor(Date.now() / 1_000);
  const parts = (['author', 'committer'] as const).map(
    (role) =>
      `${role} Not Committed Yet\n${role}-mail <not.committed.yet>\n${role}-time ${seconds}\n${role}-tz +0000\n`,
  );
  parts.push(`summary Version of ${file} from ${file}\n`);
  if (previous !== '') parts.push(`previous ${previous}\n`);
  parts.push(`filename ${path}\n`);
  return parts;
}

import type { GitDiff } from '../../../protocol/sandbox/git.ts';
import type { DiffLine } from '../diff/diff-lines.ts';
import type { Hunk } from '../diff/unified-hunks.ts';
import { plainLine } from '../text/describe-snapshot.ts';

/** `@@ -1,3 +1,4 @@`; a count of one is left out. */
const hunkHeader = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const fileHeader = 'diff --git ';
const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\' };

/** The changes of one file. */
export interface FilePatch {
  readonly hunks: readonly Hunk[];
  /** What there is to say beside the rows, or instead of them; empty for nothing. */
  readonly note: string;
}

/** The part of one file in a patch of `git diff`, of which the end may be missing (`isCut`). */
export function parsePatch({ patch, isCut }: GitDiff, path: string): FilePatch {
  const lines = patch.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const header = lines[at] ?? '';
    if (!header.startsWith(fileHeader)) continue;
    const end = endOfFile(lines, at + 1);
    const block = lines.slice(at + 1, end);
    if ((pathOf(block) ?? pathOfHeader(header)) === path)
      return readFile(block, { isCut: isCut && end === lines.length, path });
    at = end - 1;
  }
  return { hunks: [], note: isCut ? tooLong(path) : 'There is no text to compare.' };
}

function readFile(
  block: readonly string[],
  { isCut, path }: { readonly isCut: boolean; readonly path: string },
): FilePatch {
  // The last line is half of one, or none.
  const hunks = hunksOf(isCut ? block.slice(0, -1) : block);
  if (isCut) return { hunks, note: tooLong(path) };
  const modeOf = (word: string): string | undefined =>
    block.find((line) => line.startsWith(`${word} mode `))?.slice(word.length + 6);
  const [before, after] = [modeOf('old'), modeOf('new')];
  const isBinary = block.some((line) => /^(Binary files .* differ|GIT binary patch)$/.test(line));
  const notes = [
    ...(before === undefined || after === undefined ? [] : [`The mode changed from ${before} to ${after}.`]),
    ...(isBinary ? ['A binary file: its content differs.'] : []),
  ];
  if (notes.length === 0 && hunks.length === 0) notes.push('There is no text to compare.');
  return { hunks, note: notes.join(' ') };
}

function tooLong(path: string): string {
  return `The diffs of all files are too long to be shown to their end here. In the terminal: git diff -- ${plainLine(path, 200)}`;
}

/** Lines of a file's text begin with a space, `+`, `-` or a backslash. */
function endOfFile(lines: readonly string[], start: number): number {
  const next = lines.findIndex((line, index) => index >= start && line.startsWith(fileHeader));
  return next < 0 ? lines.length : next;
}

function pathOf(block: readonly string[]): string | undefined {
  for (const sign of ['+++ ', '--- ']) {
    const line = block.find((each) => each.startsWith(sign));
    const name = line === undefined ? '' : unquote(line.slice(sign.length).replace(/\t$/, ''));
    if (name !== '' && name !== '/dev/null') return name.slice(2);
  }
  return undefined;
}

/** Where neither side has a line of its own, the header has the same path twice, after `a/` and `b/`. */
function pathOfHeader(header: string): string {
  const names = header.slice(fileHeader.length);
  const half = names.slice(0, (names.length - 1) / 2);
  return unquote(half).slice(2);
}

/** Git puts names with quotes, controls or other bytes than ASCII between quotes, with octal escapes of UTF-8. */
function unquote(name: string): string {
  if (!name.startsWith('"')) return name;
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (const [, octal, escaped, plain] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/g)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push(...encoder.encode(escaped === undefined ? plain : (escapes[escaped] ?? escaped)));
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

function hunksOf(block: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let shownUpTo = 0;
  let at = block.findIndex((line) => hunkHeader.test(line));
  while (at >= 0 && at < block.length) {
    const header = hunkHeader.exec(block[at] ?? '');
    if (header === null) break;
    const [, oldStart, oldCount = '1', newStart, newCount = '1'] = header.map((part) => part ?? undefined);
    const counts = { old: Number(oldCount), new: Number(newCount) };
    const starts = { old: Number(oldStart), new: Number(newStart) };
    const { lines, next } = linesOf(block, { from: at + 1, counts, starts });
    // A file that is added or emptied has its only hunk at line 0.
    hunks.push({ skippedBefore: Math.max(0, starts.new - 1 - shownUpTo), lines });
    shownUpTo = starts.new - 1 + counts.new;
    at = next;
  }
  return hunks;
}

function linesOf(
  block: readonly string[],
  options: {
    readonly from: number;
    readonly counts: { readonly old: number; readonly new: number };
    readonly starts: { readonly old: number; readonly new: number };
  },
): { lines: DiffLine[]; next: number } {
  const { counts, starts } = options;
  const lines: DiffLine[] = [];
  const end = { old: starts.old + counts.old, new: starts.new + counts.new };
  let [oldNumber, newNumber] = [starts.old, starts.new];
  let at = options.from;
  for (; at < block.length && (oldNumber < end.old || newNumber < end.new); at++) {
    const line = block[at] ?? '';
    const text = line.slice(1);
    if (line.startsWith('+')) lines.push({ type: 'added', text, oldNumber: 0, newNumber: newNumber++ });
    else if (line.startsWith('-'))
      lines.push({ type: 'deleted', text, oldNumber: oldNumber++, newNumber: 0 });
    else if (!line.startsWith('\\'))
      lines.push({ type: 'same', text, oldNumber: oldNumber++, newNumber: newNumber++ });
  }
  while (block[at]?.startsWith('\\')) at += 1;
  return { lines, next: at };
}

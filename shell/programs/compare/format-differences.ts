import type { ShellText } from '../../text.ts';
import type { Hunk } from './line-differences.ts';

/** A file that is compared: its lines, of which the last may have no newline. */
export interface ComparedText {
  readonly lines: readonly ShellText[];
  readonly isEnded: boolean;
}

export interface ComparedPair {
  readonly older: ComparedText;
  readonly newer: ComparedText;
}

const noNewline = '\\ No newline at end of file\n';

function lineText({ lines, isEnded }: ComparedText, index: number, mark: string): ShellText {
  const isLast = index === lines.length - 1;
  return `${mark}${lines[index] ?? ''}\n${isLast && !isEnded ? noNewline : ''}`;
}

function* linesText(
  text: ComparedText,
  { start, count, mark }: { start: number; count: number; mark: string },
): Generator<ShellText> {
  for (let index = start; index < start + count; index++) yield lineText(text, index, mark);
}

/** `3,4c5`: from one line, or after it. */
function normalRange(start: number, count: number): string {
  if (count === 0) return String(start);
  return count === 1 ? String(start + 1) : `${start + 1},${start + count}`;
}

export function* normalFormat({ older, newer }: ComparedPair, hunks: readonly Hunk[]): Generator<ShellText> {
  for (const { oldStart, oldCount, newStart, newCount } of hunks) {
    const letter = oldCount === 0 ? 'a' : newCount === 0 ? 'd' : 'c';
    yield `${normalRange(oldStart, oldCount)}${letter}${normalRange(newStart, newCount)}\n`;
    yield* linesText(older, { start: oldStart, count: oldCount, mark: '< ' });
    if (letter === 'c') yield '---\n';
    yield* linesText(newer, { start: newStart, count: newCount, mark: '> ' });
  }
}

/** Hunks that are so near that their context touches stand together. */
function grouped(hunks: readonly Hunk[], context: number): Hunk[][] {
  const groups: Hunk[][] = [];
  for (const hunk of hunks) {
    const last = groups.at(-1)?.at(-1);
    const isNear = last !== undefined && hunk.oldStart - (last.oldStart + last.oldCount) <= 2 * context;
    if (isNear) groups.at(-1)?.push(hunk);
    else groups.push([hunk]);
  }
  return groups;
}

function extent(group: readonly Hunk[], { older, newer }: ComparedPair, context: number): Hunk {
  const first = group[0] ?? { oldStart: 0, oldCount: 0, newStart: 0, newCount: 0 };
  const last = group.at(-1) ?? first;
  const oldStart = Math.max(first.oldStart - context, 0);
  const newStart = Math.max(first.newStart - context, 0);
  const oldEnd = Math.min(last.oldStart + last.oldCount + context, older.lines.length);
  const newEnd = Math.min(last.newStart + last.newCount + context, newer.lines.length);
  return { oldStart, oldCount: oldEnd - oldStart, newStart, newCount: newEnd - newStart };
}

function unifiedRange(start: number, count: number): string {
  if (count === 1) return String(start + 1);
  return `${count === 0 ? start : start + 1},${count}`;
}

/** Tells the line that names the function which a line is in, as far as `characters`; lines are asked for later and later. */
export function functionLookup(lines: readonly ShellText[], characters: number): (line: number) => ShellText {
  let [looked, found] = [0, ''];
  return (line) => {
    for (; looked < line; looked++) {
      const text = lines[looked] ?? '';
      if (/^[a-zA-Z_$]/.test(text)) found = ` ${text.slice(0, characters).trimEnd()}`;
    }
    return found;
  };
}

export function* unifiedFormat(
  pair: ComparedPair,
  hunks: readonly Hunk[],
  { context, functionOf }: { context: number; functionOf?: (line: number) => ShellText },
): Generator<ShellText> {
  for (const group of grouped(hunks, context)) {
    const whole = extent(group, pair, context);
    const title = functionOf?.(whole.oldStart) ?? '';
    yield `@@ -${unifiedRange(whole.oldStart, whole.oldCount)} +${unifiedRange(whole.newStart, whole.newCount)} @@${title}\n`;
    let at = whole.oldStart;
    for (const { oldStart, oldCount, newStart, newCount } of group) {
      yield* linesText(pair.older, { start: at, count: oldStart - at, mark: ' ' });
      yield* linesText(pair.older, { start: oldStart, count: oldCount, mark: '-' });
      yield* linesText(pair.newer, { start: newStart, count: newCount, mark: '+' });
      at = oldStart + oldCount;
    }
    yield* linesText(pair.older, { start: at, count: whole.oldStart + whole.oldCount - at, mark: ' ' });
  }
}

export function* contextFormat(
  pair: ComparedPair,
  hunks: readonly Hunk[],
  context: number,
): Generator<ShellText> {
  const range = (start: number, count: number) =>
    count <= 1 ? String(start + count) : `${start + 1},${start + count}`;
  for (const group of grouped(hunks, context)) {
    const whole = extent(group, pair, context);
    yield `***************\n*** ${range(whole.oldStart, whole.oldCount)} ****\n`;
    yield* contextSide(pair.older, group, { key: 'old', whole });
    yield `--- ${range(whole.newStart, whole.newCount)} ----\n`;
    yield* contextSide(pair.newer, group, { key: 'new', whole });
  }
}

/** One file's lines of a group, if any of them are changed. */
function* contextSide(
  text: ComparedText,
  group: readonly Hunk[],
  { key, whole }: { key: 'old' | 'new'; whole: Hunk },
): Generator<ShellText> {
  const startOf = (hunk: Hunk) => (key === 'old' ? hunk.oldStart : hunk.newStart);
  const countOf = (hunk: Hunk) => (key === 'old' ? hunk.oldCount : hunk.newCount);
  if (group.every((hunk) => countOf(hunk) === 0)) return;
  let at = startOf(whole);
  for (const hunk of group) {
    const isBoth = hunk.oldCount > 0 && hunk.newCount > 0;
    const [start, count] = [startOf(hunk), countOf(hunk)];
    yield* linesText(text, { start: at, count: start - at, mark: '  ' });
    yield* linesText(text, { start, count, mark: isBoth ? '! ' : key === 'old' ? '- ' : '+ ' });
    at = start + count;
  }
  yield* linesText(text, { start: at, count: startOf(whole) + countOf(whole) - at, mark: '  ' });
}

/** An ed script, from the last change to the first. */
export function* edFormat({ newer }: ComparedPair, hunks: readonly Hunk[]): Generator<ShellText> {
  for (const { oldStart, oldCount, newStart, newCount } of [...hunks].reverse()) {
    const letter = oldCount === 0 ? 'a' : newCount === 0 ? 'd' : 'c';
    yield `${normalRange(oldStart, oldCount)}${letter}\n`;
    yield* linesText(newer, { start: newStart, count: newCount, mark: '' });
    if (newCount > 0) yield '.\n';
  }
}

const tab = 8;
/** Between the columns stands a mark with a blank on both sides. */
const gutter = 3;

/** Both files beside each other, the columns as GNU's diff computes them. */
export function* sideBySide(
  { older, newer }: ComparedPair,
  hunks: readonly Hunk[],
  { width, hidesCommon }: { width: number; hidesCommon: boolean },
): Generator<ShellText> {
  const unaligned = Math.floor(width / 2) + Math.floor((tab + gutter) / 2) + (width & (tab + gutter) & 1);
  const offset = unaligned - (unaligned % tab);
  const half = Math.max(0, Math.min(offset - gutter, width - offset));
  const row = (left: ShellText | undefined, mark: string, right: ShellText | undefined) => {
    let text = (left ?? '').slice(0, half);
    let at = text.length;
    if (mark !== ' ') {
      const place = Math.floor((half + offset - 1) / 2);
      text += blanks(at, place) + mark;
      at = place + 1;
    }
    if (right !== undefined && right !== '') text += blanks(at, offset) + right.slice(0, half);
    return `${text}\n`;
  };
  let at = 0;
  function* common(until: number): Generator<ShellText> {
    for (; at < until; at++) if (!hidesCommon) yield row(older.lines[at], ' ', older.lines[at]);
  }
  for (const { oldStart, oldCount, newStart, newCount } of hunks) {
    yield* common(oldStart);
    for (let index = 0; index < Math.max(oldCount, newCount); index++) {
      const left = index < oldCount ? older.lines[oldStart + index] : undefined;
      const right = index < newCount ? newer.lines[newStart + index] : undefined;
      yield row(left, left === undefined ? '>' : right === undefined ? '<' : '|', right);
    }
    at = oldStart + oldCount;
  }
  yield* common(older.lines.length);
}

/** Tabs as far as they go, then blanks. */
function blanks(from: number, to: number): string {
  let text = '';
  let at = from;
  for (let next = at + tab - (at % tab); next <= to; next += tab) {
    text += '\t';
    at = next;
  }
  return text + ' '.repeat(Math.max(to - at, 0));
}

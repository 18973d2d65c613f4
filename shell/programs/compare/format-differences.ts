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

function linesText(
  text: ComparedText,
  { start, count, mark }: { start: number; count: number; mark: string },
): ShellText {
  let shown = '';
  for (let index = start; index < start + count; index++) shown += lineText(text, index, mark);
  return shown;
}

/** `3,4c5`: from one line, or after it. */
function normalRange(start: number, count: number): string {
  if (count === 0) return String(start);
  return count === 1 ? String(start + 1) : `${start + 1},${start + count}`;
}

export function normalFormat({ older, newer }: ComparedPair, hunks: readonly Hunk[]): ShellText {
  return hunks
    .map(({ oldStart, oldCount, newStart, newCount }) => {
      const letter = oldCount === 0 ? 'a' : newCount === 0 ? 'd' : 'c';
      const removed = linesText(older, { start: oldStart, count: oldCount, mark: '< ' });
      const added = linesText(newer, { start: newStart, count: newCount, mark: '> ' });
      const header = `${normalRange(oldStart, oldCount)}${letter}${normalRange(newStart, newCount)}\n`;
      return `${header}${removed}${letter === 'c' ? '---\n' : ''}${added}`;
    })
    .join('');
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

export function unifiedFormat(
  pair: ComparedPair,
  hunks: readonly Hunk[],
  { context, functionOf }: { context: number; functionOf?: (line: number) => ShellText },
): ShellText {
  return grouped(hunks, context)
    .map((group) => {
      const whole = extent(group, pair, context);
      const title = functionOf?.(whole.oldStart) ?? '';
      let text = `@@ -${unifiedRange(whole.oldStart, whole.oldCount)} +${unifiedRange(whole.newStart, whole.newCount)} @@${title}\n`;
      let at = whole.oldStart;
      for (const { oldStart, oldCount, newStart, newCount } of group) {
        text += linesText(pair.older, { start: at, count: oldStart - at, mark: ' ' });
        text += linesText(pair.older, { start: oldStart, count: oldCount, mark: '-' });
        text += linesText(pair.newer, { start: newStart, count: newCount, mark: '+' });
        at = oldStart + oldCount;
      }
      return (
        text + linesText(pair.older, { start: at, count: whole.oldStart + whole.oldCount - at, mark: ' ' })
      );
    })
    .join('');
}

export function contextFormat(pair: ComparedPair, hunks: readonly Hunk[], context: number): ShellText {
  const range = (start: number, count: number) =>
    count <= 1 ? String(start + count) : `${start + 1},${start + count}`;
  return grouped(hunks, context)
    .map((group) => {
      const whole = extent(group, pair, context);
      const side = (key: 'old' | 'new', mark: string): ShellText => {
        const text = key === 'old' ? pair.older : pair.newer;
        const start = key === 'old' ? whole.oldStart : whole.newStart;
        const count = key === 'old' ? whole.oldCount : whole.newCount;
        const isChanged = group.some((hunk) => (key === 'old' ? hunk.oldCount : hunk.newCount) > 0);
        if (!isChanged) return '';
        let shown = '';
        for (let index = start; index < start + count; index++) {
          const hunk = group.find((candidate) => {
            const first = key === 'old' ? candidate.oldStart : candidate.newStart;
            const size = key === 'old' ? candidate.oldCount : candidate.newCount;
            return index >= first && index < first + size;
          });
          const isBoth = hunk !== undefined && hunk.oldCount > 0 && hunk.newCount > 0;
          shown += lineText(text, index, `${hunk === undefined ? ' ' : isBoth ? '!' : mark} `);
        }
        return shown;
      };
      const old = `*** ${range(whole.oldStart, whole.oldCount)} ****\n${side('old', '-')}`;
      return `***************\n${old}--- ${range(whole.newStart, whole.newCount)} ----\n${side('new', '+')}`;
    })
    .join('');
}

/** An ed script, from the last change to the first. */
export function edFormat({ newer }: ComparedPair, hunks: readonly Hunk[]): ShellText {
  return [...hunks]
    .reverse()
    .map(({ oldStart, oldCount, newStart, newCount }) => {
      const letter = oldCount === 0 ? 'a' : newCount === 0 ? 'd' : 'c';
      const added = linesText(newer, { start: newStart, count: newCount, mark: '' });
      return `${normalRange(oldStart, oldCount)}${letter}\n${newCount > 0 ? `${added}.\n` : ''}`;
    })
    .join('');
}

const tab = 8;
/** Between the columns stands a mark with a blank on both sides. */
const gutter = 3;

/** Both files beside each other, the columns as GNU's diff computes them. */
export function sideBySide(
  { older, newer }: ComparedPair,
  hunks: readonly Hunk[],
  { width, hidesCommon }: { width: number; hidesCommon: boolean },
): ShellText {
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
  let text = '';
  let at = 0;
  const common = (until: number) => {
    for (; at < until; at++) if (!hidesCommon) text += row(older.lines[at], ' ', older.lines[at]);
  };
  for (const { oldStart, oldCount, newStart, newCount } of hunks) {
    common(oldStart);
    for (let index = 0; index < Math.max(oldCount, newCount); index++) {
      const left = index < oldCount ? older.lines[oldStart + index] : undefined;
      const right = index < newCount ? newer.lines[newStart + index] : undefined;
      text += row(left, left === undefined ? '>' : right === undefined ? '<' : '|', right);
    }
    at = oldStart + oldCount;
  }
  common(older.lines.length);
  return text;
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

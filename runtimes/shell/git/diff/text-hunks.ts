import { type Hunk, lineDifferences } from '../../../../shell/programs/compare/line-differences.ts';
import { Steps } from '../../../../shell/programs/streams/steps.ts';
import { compactChanges } from './compact-changes.ts';

/** Lines of a text without their ends; the last one may have none. */
export interface TextLines {
  readonly lines: readonly string[];
  readonly isEnded: boolean;
}

interface HunkOptions {
  /** Lines around a change that are shown with it; 3 by default. */
  readonly context?: number | undefined;
  /** What two lines are compared by, such as their text without blanks. */
  readonly keyOf?: ((line: string) => string) | undefined;
}

/** A letter, an underscore or a dollar sign begins what git takes for the name of a function. */
const functionStart = /^[A-Za-z_$]/;
const functionCharacters = 80;
const noNewline = '\\ No newline at end of file\n';

export function linesOf(text: string): TextLines {
  const lines = text.split('\n');
  const isEnded = lines.at(-1) === '';
  return { lines: isEnded ? lines.slice(0, -1) : lines, isEnded };
}

/** Where two texts differ, as git chooses among places that are as good (`xdl_change_compact`). */
export async function textDifferences(
  older: TextLines,
  newer: TextLines,
  { signal, keyOf = (line) => line }: HunkOptions & { readonly signal: AbortSignal },
): Promise<Hunk[]> {
  const keys = new Map<string, number>();
  const keysOf = ({ lines, isEnded }: TextLines) =>
    lines.map((line, index) => {
      // A last line without a newline is another one than with it.
      const text = index === lines.length - 1 && !isEnded ? `${keyOf(line)}\n` : keyOf(line);
      const key = keys.get(text) ?? keys.size;
      keys.set(text, key);
      return key;
    });
  const [left, right] = [keysOf(older), keysOf(newer)];
  const hunks = await lineDifferences(left, right, new Steps(signal));
  return compactChanges(hunks, { left, right, leftLines: older.lines, rightLines: newer.lines });
}

/** The hunks of a unified diff as git has them: each names the function that it is in. */
export async function unifiedHunks(
  older: string,
  newer: string,
  { signal, context = 3, keyOf }: HunkOptions & { readonly signal: AbortSignal },
): Promise<string> {
  const [left, right] = [linesOf(older), linesOf(newer)];
  const hunks = await textDifferences(left, right, { signal, keyOf });
  const parts: string[] = [];
  for (const group of grouped(hunks, context)) {
    const [first, last] = [group[0], group.at(-1)];
    if (!first || !last) continue;
    const before = Math.min(context, first.oldStart, first.newStart);
    const oldStart = first.oldStart - before;
    const newStart = first.newStart - before;
    const oldEnd = Math.min(last.oldStart + last.oldCount + context, left.lines.length);
    const newEnd = Math.min(last.newStart + last.newCount + context, right.lines.length);
    const name = functionAbove(left.lines, oldStart - 1);
    parts.push(
      `@@ -${range(oldStart, oldEnd - oldStart)} +${range(newStart, newEnd - newStart)} @@${name === '' ? '' : ` ${name}`}\n`,
    );
    let at = oldStart;
    for (const { oldStart: from, oldCount, newStart: to, newCount } of group) {
      for (; at < from; at++) parts.push(lineText(left, at, ' '));
      for (; at < from + oldCount; at++) parts.push(lineText(left, at, '-'));
      for (let index = to; index < to + newCount; index++) parts.push(lineText(right, index, '+'));
    }
    for (; at < oldEnd; at++) parts.push(lineText(left, at, ' '));
  }
  return parts.join('');
}

/** How many lines came and went. */
export async function countChanges(
  older: string,
  newer: string,
  options: HunkOptions & { readonly signal: AbortSignal },
): Promise<{ readonly added: number; readonly removed: number }> {
  const hunks = await textDifferences(linesOf(older), linesOf(newer), options);
  return {
    added: hunks.reduce((sum, { newCount }) => sum + newCount, 0),
    removed: hunks.reduce((sum, { oldCount }) => sum + oldCount, 0),
  };
}

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

function range(start: number, count: number): string {
  return count === 1 ? String(start + 1) : `${count === 0 ? start : start + 1},${count}`;
}

function lineText({ lines, isEnded }: TextLines, index: number, mark: string): string {
  const isLast = index === lines.length - 1;
  return `${mark}${lines[index] ?? ''}\n${isLast && !isEnded ? noNewline : ''}`;
}

export function functionAbove(lines: readonly string[], from: number): string {
  for (let at = from; at >= 0; at--) {
    const line = lines[at] ?? '';
    if (functionStart.test(line)) return line.slice(0, functionCharacters).trimEnd();
  }
  return '';
}

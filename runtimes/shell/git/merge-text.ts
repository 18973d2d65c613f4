import { type Hunk, lineDifferences } from '../../../shell/programs/compare/line-differences.ts';
import { Steps } from '../../../shell/programs/streams/steps.ts';

/** One side's change of some lines of the base. */
interface Edit {
  /** Lines of the base from 0: the first, and the one after the last. */
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/**
 * Takes the changes of both sides into a text that both come from; `undefined` where they have changed the same lines,
 * or lines that touch, in different ways.
 */
export async function mergeText(
  base: string,
  sides: { readonly ours: string; readonly theirs: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  const keys = new Map<string, number>();
  const older = linesOf(base);
  const editsOf = async (text: string) => {
    const newer = linesOf(text);
    const [from, to] = [older, newer].map((lines) => lines.map((line) => keyOf(keys, line)));
    const hunks = await lineDifferences(from ?? [], to ?? [], new Steps(signal));
    return hunks.map((hunk) => editOf(hunk, newer));
  };
  const edits = joined(await editsOf(sides.ours), await editsOf(sides.theirs));
  if (!edits) return undefined;
  const merged: string[] = [];
  let at = 0;
  for (const { start, end, lines } of edits) {
    for (const line of older.slice(at, start)) merged.push(line);
    for (const line of lines) merged.push(line);
    at = end;
  }
  return merged.concat(older.slice(at)).join('');
}

/** All edits, in the order of the base; the same one of both sides once. `undefined` where two of them meet. */
function joined(ours: readonly Edit[], theirs: readonly Edit[]): Edit[] | undefined {
  const edits: Edit[] = [];
  for (const edit of [...ours, ...theirs].sort((a, b) => a.start - b.start || a.end - b.end)) {
    const last = edits.at(-1);
    if (!last || edit.start > last.end) edits.push(edit);
    else if (!areSame(last, edit)) return undefined;
  }
  return edits;
}

function areSame(one: Edit, other: Edit): boolean {
  return (
    one.start === other.start &&
    one.end === other.end &&
    one.lines.length === other.lines.length &&
    one.lines.every((line, index) => line === other.lines[index])
  );
}

function editOf({ oldStart, oldCount, newStart, newCount }: Hunk, newer: readonly string[]): Edit {
  return { start: oldStart, end: oldStart + oldCount, lines: newer.slice(newStart, newStart + newCount) };
}

function keyOf(keys: Map<string, number>, line: string): number {
  const key = keys.get(line) ?? keys.size;
  keys.set(line, key);
  return key;
}

/** Lines with their ends, so that a last one without an end is another line than with it. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

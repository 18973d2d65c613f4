import {
  type ComparedText,
  functionLookup,
  unifiedFormat,
} from '../../../../shell/programs/compare/format-differences.ts';
import { type Hunk, lineDifferences } from '../../../../shell/programs/compare/line-differences.ts';
import { Steps } from '../../../../shell/programs/streams/steps.ts';
import { compactChanges } from './compact-changes.ts';

interface HunkOptions {
  /** Lines around a change that are shown with it; 3 by default. */
  readonly context?: number | undefined;
  /** What two lines are compared by, such as their text without blanks. */
  readonly keyOf?: ((line: string) => string) | undefined;
}

/** Of the line that names a function. */
export const functionCharacters = 80;

/** Lines of a text without their ends; the last one may have none. */
export function linesOf(text: string): ComparedText {
  const lines = text.split('\n');
  const isEnded = lines.at(-1) === '';
  return { lines: isEnded ? lines.slice(0, -1) : lines, isEnded };
}

/** Where two texts differ, as git chooses among places that are as good (`xdl_change_compact`). */
export async function textDifferences(
  older: ComparedText,
  newer: ComparedText,
  { signal, keyOf = (line) => line }: HunkOptions & { readonly signal: AbortSignal },
): Promise<Hunk[]> {
  const keys = new Map<string, number>();
  const keysOf = ({ lines, isEnded }: ComparedText) =>
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
  const pair = { older: linesOf(older), newer: linesOf(newer) };
  const hunks = await textDifferences(pair.older, pair.newer, { signal, keyOf });
  const functionOf = functionLookup(pair.older.lines, functionCharacters);
  const [steps, parts] = [new Steps(signal), [] as string[]];
  for (const part of unifiedFormat(pair, hunks, { context, functionOf })) {
    parts.push(part);
    if (steps.isDue) await steps.next();
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

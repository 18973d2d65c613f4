import { unifiedFormat } from '../../../shell/programs/compare/format-differences.ts';
import { lineDifferences } from '../../../shell/programs/compare/line-differences.ts';
import { Steps } from '../../../shell/programs/streams/steps.ts';

/** Lines around a change that are shown with it. */
const context = 3;

/** The hunks of a unified diff, as `diff -u` has them. */
export async function compareText(older: string, newer: string, signal: AbortSignal): Promise<string> {
  const [left, right] = [linesOf(older), linesOf(newer)];
  const keys = new Map<string, number>();
  const keysOf = ({ lines, isEnded }: ReturnType<typeof linesOf>) =>
    lines.map((line, index) => {
      // A last line without a newline is another one than with it.
      const text = index === lines.length - 1 && !isEnded ? `${line}\n` : line;
      const key = keys.get(text) ?? keys.size;
      keys.set(text, key);
      return key;
    });
  const hunks = await lineDifferences(keysOf(left), keysOf(right), new Steps(signal));
  return [...unifiedFormat({ older: left, newer: right }, hunks, { context })].join('');
}

function linesOf(text: string): { readonly lines: readonly string[]; readonly isEnded: boolean } {
  const lines = text.split('\n');
  const isEnded = lines.at(-1) === '';
  return { lines: isEnded ? lines.slice(0, -1) : lines, isEnded };
}

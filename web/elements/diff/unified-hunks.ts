import type { DiffLine } from './diff-lines.ts';

/** A group of lines of a diff, and how many equal lines are left out before it. */
export interface Hunk {
  readonly skippedBefore: number;
  readonly lines: readonly DiffLine[];
}

/** The changed lines with `context` equal lines around them, and how many are left out at the end. */
export function unifiedHunks(
  lines: readonly DiffLine[],
  context = 3,
): { hunks: Hunk[]; skippedAfter: number } {
  const hunks: Hunk[] = [];
  let shownUpTo = 0;
  let index = 0;
  while (index < lines.length) {
    if (lines[index]?.type === 'same') {
      index += 1;
      continue;
    }
    const start = Math.max(shownUpTo, index - context);
    const end = endOfHunk(lines, { from: index, context });
    hunks.push({ skippedBefore: start - shownUpTo, lines: lines.slice(start, end) });
    shownUpTo = end;
    index = end;
  }
  return { hunks, skippedAfter: lines.length - shownUpTo };
}

/** Goes on while the next change is near enough for the contexts to touch. */
function endOfHunk(lines: readonly DiffLine[], options: { from: number; context: number }): number {
  let lastChange = options.from;
  for (let index = options.from; index < lines.length; index++) {
    if (lines[index]?.type !== 'same') lastChange = index;
    else if (index - lastChange > 2 * options.context) break;
  }
  return Math.min(lines.length, lastChange + 1 + options.context);
}

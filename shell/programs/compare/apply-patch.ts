import { ShellLimitError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import type { Steps } from '../streams/steps.ts';
import type { PatchHunk, PatchLine } from './parse-patch.ts';

export interface PatchableText {
  lines: ShellText[];
  /** Whether a newline is after the last line. */
  isEnded: boolean;
}

export interface AppliedHunk {
  /** Where it was applied, from 1; `undefined` where it fits nowhere. */
  readonly line: number | undefined;
  readonly offset: number;
  readonly fuzz: number;
}

/** Lines that are compared for one hunk until its place is found. */
const mostComparisons = 200_000_000;
/** Lines of context that may be missing at most. */
const mostFuzzLines = 1000;

interface HunkFitting {
  readonly shift: number;
  readonly mostFuzz: number;
  readonly ignoresBlanks: boolean;
  readonly steps: Steps;
}

/** Applies a hunk where it fits: at its place, moved by what earlier ones have changed, or as near as can be. @throws ShellLimitError */
export async function applyHunk(
  text: PatchableText,
  hunk: PatchHunk,
  { shift, mostFuzz, ignoresBlanks, steps }: HunkFitting,
): Promise<AppliedHunk> {
  let comparisons = 0;
  const isSame = (a: ShellText | undefined, b: ShellText) => {
    comparisons += 1;
    if (a === undefined) return false;
    return ignoresBlanks ? a.replaceAll(/\s+/g, ' ').trim() === b.replaceAll(/\s+/g, ' ').trim() : a === b;
  };
  for (let fuzz = 0; fuzz <= Math.min(mostFuzz, mostFuzzLines); fuzz++) {
    await steps.next();
    const { lines, cutBefore } = withoutContext(hunk.lines, fuzz);
    if (fuzz > 0 && lines.length === hunk.lines.length) break;
    const older = lines.filter(({ kind }) => kind !== 'add');
    const wanted = hunk.oldStart - 1 + shift + cutBefore;
    const fits = (at: number) =>
      at >= 0 &&
      at + older.length <= text.lines.length &&
      older.every((line, index) => isSame(text.lines[at + index], line.text));
    const place = await nearest(wanted, text.lines.length, async (at) => {
      if (comparisons > mostComparisons)
        throw new ShellLimitError('patch', 'the place of a hunk takes too long to find');
      if (steps.isDue) await steps.next();
      return fits(at);
    });
    if (place === undefined) continue;
    replace(text, { lines, place });
    return { line: place - cutBefore + 1, offset: place - wanted, fuzz };
  }
  return { line: undefined, offset: 0, fuzz: 0 };
}

async function nearest(
  from: number,
  length: number,
  fits: (at: number) => Promise<boolean>,
): Promise<number | undefined> {
  const wanted = Math.min(Math.max(from, -(2 ** 50)), 2 ** 50);
  const first = Math.max(0, wanted - length, -wanted);
  const last = Math.max(wanted, length - wanted);
  for (let distance = first; distance <= last; distance++) {
    const [below, above] = [wanted + distance, wanted - distance];
    if (below <= length && (await fits(below))) return below;
    if (distance > 0 && above >= 0 && (await fits(above))) return above;
  }
  return undefined;
}

/** Without so many lines of context at both ends. */
function withoutContext(
  lines: readonly PatchLine[],
  fuzz: number,
): { lines: readonly PatchLine[]; cutBefore: number } {
  const first = lines.findIndex(({ kind }) => kind !== 'keep');
  const last = lines.findLastIndex(({ kind }) => kind !== 'keep');
  if (first < 0) return { lines, cutBefore: 0 };
  const before = first;
  const after = lines.length - 1 - last;
  const context = Math.max(before, after);
  // Of the shorter context less is cut (GNU's patch).
  const cutBefore = Math.max(fuzz + before - context, 0);
  const cutAfter = Math.max(fuzz + after - context, 0);
  if (cutBefore > before || cutAfter > after) return { lines, cutBefore: 0 };
  return { lines: lines.slice(cutBefore, lines.length - cutAfter), cutBefore };
}

function replace(
  text: PatchableText,
  { lines, place }: { lines: readonly PatchLine[]; place: number },
): void {
  const olderCount = lines.filter(({ kind }) => kind !== 'add').length;
  let at = place;
  const newer = lines.flatMap((line) => {
    if (line.kind === 'add') return [line.text];
    // What is kept stays as it is in the file, white space and all.
    const kept = text.lines[at] ?? line.text;
    at += 1;
    return line.kind === 'keep' ? [kept] : [];
  });
  const reachesEnd = place + olderCount === text.lines.length;
  text.lines = text.lines.slice(0, place).concat(newer, text.lines.slice(place + olderCount));
  if (!reachesEnd) return;
  const last = lines.findLast(({ kind }) => kind !== 'remove');
  if (last) text.isEnded = last.kind === 'keep' && !last.isOpen ? text.isEnded : !last.isOpen;
  else text.isEnded = true;
}

import type { ComparedText } from '../../../../shell/programs/compare/format-differences.ts';
import type { Hunk } from '../../../../shell/programs/compare/line-differences.ts';
import { textDifferences } from '../diff/text-hunks.ts';

/** What stands in the file of a conflict for each side. */
export interface ConflictLabels {
  readonly ours: string;
  readonly theirs: string;
}

export type Favor = 'ours' | 'theirs' | undefined;

/** A place at which a side differs from the base, or both do in different ways. */
interface Piece {
  kind: 'conflict' | 'ours' | 'theirs' | 'same';
  base: number;
  baseCount: number;
  ours: number;
  oursCount: number;
  theirs: number;
  theirsCount: number;
}

/** Conflicts with so few lines between them are shown as one. */
const joinedGap = 3;

/** Takes the changes of both sides into a text that both come from, with marks where they meet (`xdl_merge`, zealous). */
export async function mergeLines(
  texts: { readonly base: string; readonly ours: string; readonly theirs: string },
  {
    labels,
    favor,
    signal,
  }: { readonly labels: ConflictLabels; readonly favor?: Favor; readonly signal: AbortSignal },
): Promise<{ readonly text: string; readonly isClean: boolean }> {
  const [base, ours, theirs] = [linesOf(texts.base), linesOf(texts.ours), linesOf(texts.theirs)];
  const mine = await textDifferences(base, ours, { signal });
  const other = await textDifferences(base, theirs, { signal });
  const found = joined(mine, other, { ours, theirs });
  const refined: Piece[] = [];
  for (const piece of found)
    refined.push(...(piece.kind === 'conflict' ? await refine(piece, { ours, theirs, signal }) : [piece]));
  const pieces = withoutSmallGaps(refined);
  let isClean = true;
  let text = '';
  let at = 0;
  for (const piece of pieces) {
    if (piece.kind === 'same') continue;
    text += ours.lines.slice(at, piece.ours).join('');
    const own = ours.lines.slice(piece.ours, piece.ours + piece.oursCount).join('');
    const rest = theirs.lines.slice(piece.theirs, piece.theirs + piece.theirsCount).join('');
    const kind = piece.kind === 'conflict' ? (favor ?? 'conflict') : piece.kind;
    if (kind === 'ours') text += own;
    else if (kind === 'theirs') text += rest;
    else {
      isClean = false;
      text += `<<<<<<< ${labels.ours}\n${ended(own)}=======\n${ended(rest)}>>>>>>> ${labels.theirs}\n`;
    }
    at = piece.ours + piece.oursCount;
  }
  return { text: text + ours.lines.slice(at).join(''), isClean };
}

/** Lines with their ends, so that a last one without an end is another line than with it. */
function linesOf(text: string): ComparedText {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return { lines, isEnded: true };
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function joined(
  mine: readonly Hunk[],
  other: readonly Hunk[],
  { ours, theirs }: { readonly ours: ComparedText; readonly theirs: ComparedText },
): Piece[] {
  const pieces: Piece[] = [];
  const append = (piece: Piece) => {
    const last = pieces.at(-1);
    if (!last || (piece.ours > last.ours + last.oursCount && piece.theirs > last.theirs + last.theirsCount)) {
      pieces.push(piece);
      return;
    }
    if (piece.kind !== last.kind) last.kind = 'conflict';
    last.baseCount = piece.base + piece.baseCount - last.base;
    last.oursCount = piece.ours + piece.oursCount - last.ours;
    last.theirsCount = piece.theirs + piece.theirsCount - last.theirs;
  };
  let [a, b] = [0, 0];
  /** How much longer a side is than the base up to here. */
  const shift = (hunks: readonly Hunk[], index: number) => {
    const last = hunks[index - 1];
    return last ? last.newStart + last.newCount - (last.oldStart + last.oldCount) : 0;
  };
  const takeMine = (one: Hunk) =>
    append({
      kind: 'ours',
      base: one.oldStart,
      baseCount: one.oldCount,
      ours: one.newStart,
      oursCount: one.newCount,
      theirs: one.oldStart + shift(other, b),
      theirsCount: one.oldCount,
    });
  const takeOther = (two: Hunk) =>
    append({
      kind: 'theirs',
      base: two.oldStart,
      baseCount: two.oldCount,
      ours: two.oldStart + shift(mine, a),
      oursCount: two.oldCount,
      theirs: two.newStart,
      theirsCount: two.newCount,
    });
  for (let [one, two] = [mine[a], other[b]]; one || two; [one, two] = [mine[a], other[b]]) {
    if (one && (!two || one.oldStart + one.oldCount < two.oldStart)) {
      takeMine(one);
      a += 1;
    } else if (two && (!one || two.oldStart + two.oldCount < one.oldStart)) {
      takeOther(two);
      b += 1;
    } else if (one && two) {
      if (!areSame(one, two, { ours, theirs })) append(conflictOf(one, two));
      const [end, otherEnd] = [one.oldStart + one.oldCount, two.oldStart + two.oldCount];
      if (end >= otherEnd) b += 1;
      if (otherEnd >= end) a += 1;
    }
  }
  return pieces;
}

function areSame(
  one: Hunk,
  two: Hunk,
  { ours, theirs }: { readonly ours: ComparedText; readonly theirs: ComparedText },
): boolean {
  if (one.oldStart !== two.oldStart || one.oldCount !== two.oldCount || one.newCount !== two.newCount)
    return false;
  for (let index = 0; index < one.newCount; index++)
    if (ours.lines[one.newStart + index] !== theirs.lines[two.newStart + index]) return false;
  return true;
}

function conflictOf(one: Hunk, two: Hunk): Piece {
  const before = one.oldStart - two.oldStart;
  const after = before + one.oldCount - two.oldCount;
  const base = one.oldStart - Math.max(before, 0);
  const ours = one.newStart - Math.max(before, 0);
  const theirs = two.newStart + Math.min(before, 0);
  return {
    kind: 'conflict',
    base,
    baseCount: one.oldStart + one.oldCount - base - Math.min(after, 0),
    ours,
    oursCount: one.newStart + one.newCount - ours - Math.min(after, 0),
    theirs,
    theirsCount: two.newStart + two.newCount - theirs + Math.max(after, 0),
  };
}

/** Takes lines that both sides have out of a conflict. */
async function refine(
  piece: Piece,
  {
    ours,
    theirs,
    signal,
  }: { readonly ours: ComparedText; readonly theirs: ComparedText; readonly signal: AbortSignal },
): Promise<Piece[]> {
  if (piece.oursCount === 0 || piece.theirsCount === 0) return [piece];
  const part = (text: ComparedText, from: number, count: number): ComparedText => ({
    lines: text.lines.slice(from, from + count),
    isEnded: true,
  });
  const hunks = await textDifferences(
    part(ours, piece.ours, piece.oursCount),
    part(theirs, piece.theirs, piece.theirsCount),
    { signal },
  );
  if (hunks.length === 0) return [{ ...piece, kind: 'same' }];
  return hunks.map(({ oldStart, oldCount, newStart, newCount }) => ({
    ...piece,
    ours: piece.ours + oldStart,
    oursCount: oldCount,
    theirs: piece.theirs + newStart,
    theirsCount: newCount,
  }));
}

function withoutSmallGaps(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    const isNear =
      last?.kind === 'conflict' &&
      piece.kind === 'conflict' &&
      piece.ours - (last.ours + last.oursCount) <= joinedGap;
    if (!last || !isNear) {
      result.push({ ...piece });
      continue;
    }
    last.oursCount = piece.ours + piece.oursCount - last.ours;
    last.theirsCount = piece.theirs + piece.theirsCount - last.theirs;
  }
  return result;
}

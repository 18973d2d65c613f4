import { diff3Merge } from 'node-diff3';
import { type ByteString, readByteString, writeByteString } from '../content/byte-string.ts';
import { findAnchors } from './anchors.ts';
import { mergeLimits } from './limits.ts';

/** The side whose lines are taken where both have changed the same ones. */
export type MergeSide = 'ours' | 'theirs';

/** Three versions of one file. */
interface Versions<T> {
  readonly base: T;
  readonly ours: T;
  readonly theirs: T;
}

/**
 * Merges two changed versions of a text line by line (diff3), whatever its encoding. `undefined` where both changed
 * the same lines and no side is preferred there, where a version has a NUL and so is no text, and past `mergeLimits`.
 */
export function mergeText(
  { base, ours, theirs }: Versions<Uint8Array>,
  { prefer }: { readonly prefer?: MergeSide | undefined } = {},
): Uint8Array | undefined {
  const all = [base, ours, theirs];
  if (all.some((bytes) => bytes.length > mergeLimits.textBytes || bytes.includes(0))) return undefined;
  const lines = new LineNumbers();
  const numbered = {
    base: lines.split(base),
    ours: lines.split(ours),
    theirs: lines.split(theirs),
  };
  if (Object.values(numbered).some(({ length }) => length > mergeLimits.textLines)) return undefined;
  const merged = mergeLines(numbered, prefer);
  return merged && lines.join(merged);
}

/** Gives each different line a number: quick to compare, and no line is mistaken for a member of an object. */
class LineNumbers {
  readonly #lines: ByteString[] = [];
  readonly #numbers: Map<ByteString, number> = new Map();

  /** The lines of a text, each with its line feed if it has one. */
  split(bytes: Uint8Array): number[] {
    const lines = readByteString(bytes, 0, bytes.length).match(/[^\n]*\n|[^\n]+$/g) ?? [];
    return lines.map((line) => {
      const known = this.#numbers.get(line) ?? this.#lines.push(line) - 1;
      this.#numbers.set(line, known);
      return known;
    });
  }

  join(numbers: readonly number[]): Uint8Array {
    const text = numbers.map((number) => this.#lines[number] ?? '').join('');
    const bytes = new Uint8Array(text.length);
    writeByteString(text, bytes, 0);
    return bytes;
  }
}

function mergeLines(whole: Versions<readonly number[]>, prefer: MergeSide | undefined): number[] | undefined {
  const merged: number[] = [];
  let budget: number = mergeLimits.lineComparisons;
  let from = { base: 0, ours: 0, theirs: 0 };
  const end = { base: whole.base.length, ours: whole.ours.length, theirs: whole.theirs.length };
  for (const to of [...findAnchors(whole), end]) {
    const part = {
      base: whole.base.slice(from.base, to.base),
      ours: whole.ours.slice(from.ours, to.ours),
      theirs: whole.theirs.slice(from.theirs, to.theirs),
    };
    budget -= cost(part);
    const lines = budget < 0 ? undefined : mergePart(part, prefer);
    if (lines === undefined) return undefined;
    for (const line of lines) merged.push(line);
    const anchor = whole.base[to.base];
    if (anchor !== undefined) merged.push(anchor);
    from = { base: to.base + 1, ours: to.ours + 1, theirs: to.theirs + 1 };
  }
  return merged;
}

function mergePart(
  { base, ours, theirs }: Versions<number[]>,
  prefer: MergeSide | undefined,
): number[] | undefined {
  const merged: number[] = [];
  for (const { ok, conflict } of diff3Merge<number>(ours, base, theirs, { excludeFalseConflicts: true })) {
    const lines = ok ?? (prefer && conflict?.[prefer === 'ours' ? 'a' : 'b']);
    if (lines === undefined) return undefined;
    for (const line of lines) merged.push(line);
  }
  return merged;
}

/** The most comparisons that diff3 makes: for each pair of equal lines, it may go through all matches so far. */
function cost({ base, ours, theirs }: Versions<readonly number[]>): number {
  return (
    pairs(base, ours) * Math.min(base.length, ours.length) +
    pairs(base, theirs) * Math.min(base.length, theirs.length)
  );
}

/** How often a line of one version is a line of the other. */
function pairs(one: readonly number[], other: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const line of one) counts.set(line, (counts.get(line) ?? 0) + 1);
  let sum = 0;
  for (const line of other) sum += counts.get(line) ?? 0;
  return sum;
}

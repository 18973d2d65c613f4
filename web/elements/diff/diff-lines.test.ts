import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DiffLine, diffLines } from './diff-lines.ts';
import { unifiedHunks } from './unified-hunks.ts';

function sides(lines: readonly DiffLine[]): { before: string[]; after: string[] } {
  return {
    before: lines.filter(({ type }) => type !== 'added').map(({ text }) => text),
    after: lines.filter(({ type }) => type !== 'deleted').map(({ text }) => text),
  };
}

const texts = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 24 });

describe('diffLines', () => {
  test('numbers both sides and says what was added and deleted', () => {
    expect(diffLines('one\ntwo\nthree\n', 'one\n2\nthree\nfour\n')).toEqual([
      { type: 'same', text: 'one', oldNumber: 1, newNumber: 1 },
      { type: 'deleted', text: 'two', oldNumber: 2, newNumber: 0 },
      { type: 'added', text: '2', oldNumber: 0, newNumber: 2 },
      { type: 'same', text: 'three', oldNumber: 3, newNumber: 3 },
      { type: 'added', text: 'four', oldNumber: 0, newNumber: 4 },
    ]);
  });

  test('either side of any diff is that text', () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const lines = diffLines(
          before.map((line) => `${line}\n`).join(''),
          after.map((line) => `${line}\n`).join(''),
        );
        expect(sides(lines)).toEqual({ before, after });
      }),
    );
  });

  test('finds a shortest script: as long as the longest common subsequence leaves', () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const lines = diffLines(
          before.map((line) => `${line}\n`).join(''),
          after.map((line) => `${line}\n`).join(''),
        );
        const edits = lines.filter(({ type }) => type !== 'same').length;
        expect(edits).toBe(before.length + after.length - 2 * longestCommon(before, after));
      }),
    );
  });

  test('two large texts with nothing in common are deleted and added, in bounded time', () => {
    const before = Array.from({ length: 20_000 }, (_, index) => `a${index}`).join('\n');
    const after = Array.from({ length: 20_000 }, (_, index) => `b${index}`).join('\n');
    const lines = diffLines(before, after);
    expect(lines.length).toBe(40_000);
    expect([lines[0]?.type, lines.at(-1)?.type]).toEqual(['deleted', 'added']);
  });
});

describe('unifiedHunks', () => {
  test('keeps three lines around a change and counts what is left out', () => {
    const before = Array.from({ length: 40 }, (_, index) => `${index}`);
    const after = before.with(5, 'five').with(9, 'nine').with(30, 'thirty');
    const { hunks, skippedAfter } = unifiedHunks(diffLines(before.join('\n'), after.join('\n')));
    expect(hunks.map(({ skippedBefore, lines }) => [skippedBefore, lines.length])).toEqual([
      [2, 13],
      [14, 8],
    ]);
    expect(skippedAfter).toBe(6);
  });

  test('equal texts have no hunk', () => {
    expect(unifiedHunks(diffLines('a\nb', 'a\nb'))).toEqual({ hunks: [], skippedAfter: 2 });
  });
});

function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const left of a) {
    const next = [0];
    b.forEach((right, at) => {
      next.push(left === right ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    });
    row = next;
  }
  return row[b.length] ?? 0;
}

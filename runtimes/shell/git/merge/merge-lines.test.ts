import { expect, test } from 'vitest';
import { mergeLines } from './merge-lines.ts';

const { signal } = new AbortController();
const base = 'a\nb\nc\nd\ne\n';
const labels = { ours: 'ours', theirs: 'theirs' };
const merge = async (from: string, sides: { ours: string; theirs: string }) => {
  const { text, isClean } = await mergeLines({ base: from, ...sides }, { labels, signal });
  return isClean ? text : undefined;
};

test.each<[what: string, ours: string, theirs: string, merged: string | undefined]>([
  ['changes in different places', 'A\nb\nc\nd\ne\n', 'a\nb\nc\nd\nE\n', 'A\nb\nc\nd\nE\n'],
  [
    'lines that one adds and the other removes elsewhere',
    'a\nb\nc\nd\ne\nf\n',
    'b\nc\nd\ne\n',
    'b\nc\nd\ne\nf\n',
  ],
  ['the same change of both', 'a\nB\nc\nd\ne\n', 'a\nB\nc\nd\ne\n', 'a\nB\nc\nd\ne\n'],
  ['different changes of one line', 'a\nB\nc\nd\ne\n', 'a\nX\nc\nd\ne\n', undefined],
  ['changes of lines that touch', 'a\nB\nc\nd\ne\n', 'a\nb\nC\nd\ne\n', undefined],
  ['different lines added at one place', 'a\nb\nc\nd\ne\nx\n', 'a\nb\nc\nd\ne\ny\n', undefined],
  ['a last line that loses its end, and a first one', 'A\nb\nc\nd\ne\n', 'a\nb\nc\nd\ne', 'A\nb\nc\nd\ne'],
])('I-3 texts are merged as git does: %s', async (_what, ours, theirs, merged) => {
  expect(await merge(base, { ours, theirs })).toBe(merged);
  expect(await merge(base, { ours: theirs, theirs: ours })).toBe(merged);
});

test('I-3 two files that were added are the same, or a conflict', async () => {
  expect(await merge('', { ours: 'x\n', theirs: 'x\n' })).toBe('x\n');
  expect(await merge('', { ours: 'x\n', theirs: 'y\n' })).toBeUndefined();
});

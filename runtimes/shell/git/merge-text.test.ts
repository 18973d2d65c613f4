import { expect, test } from 'vitest';
import { mergeText } from './merge-text.ts';

const { signal } = new AbortController();
const base = 'a\nb\nc\nd\ne\n';

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
  expect(await mergeText(base, { ours, theirs }, signal)).toBe(merged);
  expect(await mergeText(base, { ours: theirs, theirs: ours }, signal)).toBe(merged);
});

test('I-3 two files that were added are the same, or a conflict', async () => {
  expect(await mergeText('', { ours: 'x\n', theirs: 'x\n' }, signal)).toBe('x\n');
  expect(await mergeText('', { ours: 'x\n', theirs: 'y\n' }, signal)).toBeUndefined();
});

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compileSanitized } from '../test/compile-sanitized.ts';

const sources = ['test/copy-tree-test.c', 'copy-tree.c', 'remove-tree.c', 'entries.c'].map((name) =>
  join(import.meta.dirname, name),
);
const wraps = ['readdir', 'fchown', 'fchownat'].map((name) => `-Wl,--wrap=${name}`);
let folder = '';
const at = (name: string) => join(folder, name);
const run = (...words: string[]) => Number(execFileSync(at('program'), words, { encoding: 'utf8' }));

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-copy-tree-'));
  compileSanitized(at('program'), { sources: [...sources, ...wraps], include: import.meta.dirname });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a folder that cannot be read to its end is no complete copy, nor is it empty', () => {
  mkdirSync(at('from'));
  for (const name of ['a', 'b', 'c', 'd']) writeFileSync(join(at('from'), name), name);
  expect(run('copy', at('from'), at('to'), 'unread')).toBe(constants.errno.EIO);
  expect(run('remove', at('from'), 'unread')).toBe(constants.errno.EIO);
  expect(existsSync(at('from'))).toBe(true);
});

test('what is put in the place of a copied file meanwhile keeps its mode and owner', () => {
  writeFileSync(at('file'), 'all may write');
  chmodSync(at('file'), 0o666);
  writeFileSync(at('victim'), 'secret', { mode: 0o600 });
  run('copy', at('file'), at('copy'), at('victim'));
  expect(statSync(at('victim')).mode & 0o777).toBe(0o600);
});

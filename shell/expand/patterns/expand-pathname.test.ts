// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the shell that expands them.
import { describe, expect, test, vi } from 'vitest';
import { shownBy } from '../fixtures/scripted-scope.ts';

vi.mock('../../limits.ts', async (original) => {
  const { shellLimits } = await original<typeof import('../../limits.ts')>();
  return { shellLimits: { ...shellLimits, words: 1000 } };
});

/** A script, and what bash 5.2 shows of it. */
type WordCase = readonly [script: string, words: readonly string[]];

const pathnames: readonly WordCase[] = [
  [
    'p *.txt ? [ab].txt [!a].txt foo[0-9] foo[12] *.none "*.txt" d/* */*.txt ./*.md sp*/*',
    [
      'a.txt',
      'b.txt',
      'd',
      'a.txt',
      'b.txt',
      'b.txt',
      'foo1',
      'foo2',
      'foo1',
      'foo2',
      '*.none',
      '*.txt',
      'd/e',
      'd/x.txt',
      'd/x.txt',
      './c.md',
      'sp ace/f 1',
    ],
  ],
  ['p *', ['a.txt', 'b.txt', 'c.md', 'd', 'foo1', 'foo10', 'foo2', 'sp ace']],
  ['p */ d/ .*', ['d/', 'sp ace/', 'd/', '.hidden']],
  ['shopt -s nullglob; p *.none x', ['x']],
  ['shopt -s dotglob; p *d*', ['.hidden', 'c.md', 'd']],
  [
    'shopt -s globstar; p ** **/ **/*.txt',
    [
      'a.txt',
      'b.txt',
      'c.md',
      'd',
      'd/e',
      'd/e/y.txt',
      'd/x.txt',
      'foo1',
      'foo10',
      'foo2',
      'sp ace',
      'sp ace/f 1',
      'd/',
      'd/e/',
      'sp ace/',
      'a.txt',
      'b.txt',
      'd/e/y.txt',
      'd/x.txt',
    ],
  ],
  [
    'shopt -s extglob\np @(a|b).txt !(*.txt) foo+([0-9]) foo?(1)',
    ['a.txt', 'b.txt', 'c.md', 'd', 'foo1', 'foo10', 'foo2', 'sp ace', 'foo1', 'foo10', 'foo2', 'foo1'],
  ],
  ['shopt -s nocaseglob; p A*', ['a.txt']],
  ["GLOBIGNORE='*.txt:foo*'; p * */*", ['.hidden', 'c.md', 'd', 'sp ace', 'd/e', 'd/x.txt', 'sp ace/f 1']],
  ['set -f; p *.txt', ['*.txt']],
  ['x=\'[ab]*\'; p $x "$x"', ['a.txt', 'b.txt', '[ab]*']],
];

describe('Pathnames', () => {
  test.each(pathnames)('%s', async (script, words) => {
    expect(await shownBy(script)).toEqual(words);
  });
});

test('A pattern that comes back to its own files ends at the limit', async () => {
  await expect(shownBy(`p ${'*/../'.repeat(24)}*`)).rejects.toMatchObject({ limit: 'words' });
});

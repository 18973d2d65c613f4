// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the shell that expands them.
import { describe, expect, test } from 'vitest';
import { shownBy } from '../fixtures/scripted-scope.ts';

/** A script, and what bash 5.2 shows of it. */
type WordCase = readonly [script: string, words: readonly string[]];

const cases: readonly WordCase[] = [
  ['test; p $?', ['1']],
  ['test x; p $?', ['0']],
  ["test ''; p $?", ['1']],
  ['test ! x; p $?', ['1']],
  ['test -n x -a -f a.txt; p $?', ['0']],
  ['test a = b -o 1 -lt 2; p $?', ['0']],
  ["test '(' a = b ')'; p $?", ['1']],
  ["test '(' = ')'; p $?", ['1']],
  ['test ! a = b; p $?', ['0']],
  ["test '!' '!' x; p $?", ['0']],
  ['test a = a -a b = b -o c; p $?', ['0']],
  ["test ' 1 ' -eq 1; p $?", ['0']],
  ['test -z; p $?', ['0']],
  ['test = = =; p $?', ['0']],
  ['test -t 0; p $?', ['1']],
  ['test x -eq 1; p $?', ['2']],
  ['test a b; p $?', ['2']],
  ['test a b c; p $?', ['2']],
];

describe('test by the number of its arguments', () => {
  test.each(cases)('%s', async (script, words) => {
    expect(await shownBy(script)).toEqual(words);
  });
});

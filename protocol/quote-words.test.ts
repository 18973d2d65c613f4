import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { quoteWords } from './quote-words.ts';

test('R-4 the words of a command are shown as one could type them', () => {
  expect(quoteWords(['git', 'commit', '-m', 'a b'])).toBe("git commit -m 'a b'");
  const words = ['', "it's", '$HOME', 'a\nb', '~', '*', 'ü', '--flag=1', '\\', '!x', '#', 'a;b'];
  const shown = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${quoteWords(words)}`]).toString();
  expect(shown.split('\0').slice(0, -1)).toEqual(words);
  // An assignment, a command that zsh looks up, a job, and history in old shells.
  expect(quoteWords(['A=1', '=ls', '%1', '^a^b', 'B=2', '50%'])).toBe("'A=1' '=ls' '%1' '^a^b' B=2 50%");
});

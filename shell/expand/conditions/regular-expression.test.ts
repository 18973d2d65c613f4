// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the shell that expands them.
import { describe, expect, test } from 'vitest';
import { shownBy } from '../fixtures/scripted-scope.ts';

/** A script, and what bash 5.2 shows of it. */
type WordCase = readonly [script: string, words: readonly string[]];

const regularExpressions: readonly WordCase[] = [
  ['[[ abc =~ ^a(b)(c)?$ ]]; p $? "${BASH_REMATCH[@]}"', ['0', 'abc', 'b', 'c']],
  ['re=\'([0-9]+)-([a-z]*)\'; [[ foo12-ab! =~ $re ]]; p "${BASH_REMATCH[@]}"', ['12-ab', '12', 'ab']],
  ['[[ a.b =~ "." && ! axb =~ a"."b && \'a b\' =~ a\\ b ]]; p $?', ['0']],
  ['[[ abcd =~ (a|ab)(c|bcd)(d*) ]]; p "${BASH_REMATCH[0]}"', ['abcd']],
  ['[[ foobar =~ (o+)(b|x)? ]]; p "${BASH_REMATCH[@]}"', ['oob', 'oo', 'b']],
  ['[[ aaa =~ a{2} ]]; p "${BASH_REMATCH[0]}"', ['aa']],
  ['[[ abab =~ ^(ab)*$ ]]; p "${BASH_REMATCH[@]}"', ['abab', 'ab']],
  ["[[ 'a]b' =~ []] && 'a\\b' =~ [\\\\] && xay =~ x[^b]y && x =~ [[:alpha:]] ]]; p $?", ['0']],
  ['[[ abcabc =~ (abc)\\1 ]]; p $?', ['1']],
  ["[[ $'a\\nb' =~ a.b && é =~ ^.$ ]]; p $?", ['0']],
  ['x=3; [[ y =~ n ]]; p $? ${#BASH_REMATCH[@]}', ['1', '0']],
  ["r='a||b'; [[ '' =~ $r ]]; p $?", ['0']],
  ["[[ 'foo bar' =~ \\<bar && 'foo' =~ o\\b ]]; p $?", ['1']],
];

describe('Regular expressions and BASH_REMATCH', () => {
  test.each(regularExpressions)('%s', async (script, words) => {
    expect(await shownBy(script)).toEqual(words);
  });
});

test('An expression whose ways double with each character is decided at once', async () => {
  const text = 'a'.repeat(2000);
  expect(await shownBy(`r='^(a*)*(a|aa)+b$'; [[ ${text} =~ $r ]]; p $?`)).toEqual(['1']);
});

test.each(['*a', '^*', 'a|*b', 'a{2,1}', '(', '[a', '[z-a]', '[[:bogus:]]', '\\\\', 'a{x'])(
  '%s is no expression',
  async (source) => {
    await expect(shownBy(`r='${source.replace('\\\\', '\\')}'; [[ x =~ $r ]]`)).rejects.toMatchObject({
      status: 2,
    });
  },
);

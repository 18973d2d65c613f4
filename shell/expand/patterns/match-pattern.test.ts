import { describe, expect, test } from 'vitest';
import { matches } from './match-pattern.ts';

/** As `[[ text == pattern ]]` of bash 5.2 has it, where patterns are extended ones. */
const cases: readonly (readonly [pattern: string, text: string, isMatch: boolean])[] = [
  ['a*', 'abc', true],
  ['*c', 'abc', true],
  ['*b', 'abc', false],
  ['a?c', 'abc', true],
  ['a[!x]c', 'abc', true],
  ['a[^b]c', 'abc', false],
  ['a[a-]c', 'a-c', true],
  ['a[]]c', 'a]c', true],
  ['a[\\^]c', 'a^c', true],
  ['?', 'é', true],
  ['?', '😀', true],
  ['[[:alpha:]]*', 'é1', true],
  ['[[:digit:]]', '5', true],
  ['[a-c]', 'B', false],
  ['[[:bogus:]]', 'a', false],
  ['[[]', '[', true],
  ['[', '[', true],
  ['a[', 'a[', true],
  ['\\*', '*', true],
  ['\\*', 'x', false],
  ['a\\b', 'ab', true],
  ['@(a|b)c', 'bc', true],
  ['a!(c)', 'ab', true],
  ['a!(c)', 'ac', false],
  ['+(ab|c)', 'abcab', true],
  ['*(a)b', 'aaab', true],
  ['?(a)b', 'b', true],
  ['!(*.txt)', 'a.txt', false],
  ['!(*.txt)', 'a.md', true],
  ['@(a|@(b|c)d)', 'cd', true],
  ['*([a', '*([a', true],
  ['[a-\\]]', 'b', false],
  ['[\\]]', ']', true],
  ['**', 'abc', true],
  ['*a*b*', 'xxaxxbxx', true],
  ['[!a-c]', 'd', true],
  ['[z-a]', 'm', false],
  ['[a', '[a', true],
  ['[[.a.]b]', 'b', true],
  ['[[=a=]]', 'a', true],
  ['', '', true],
  ['*', '', true],
  ['?', '', false],
  ['!()', '', false],
  ['a/b*', 'a/bc', true],
];

describe('Whether a pattern matches', () => {
  test.each(cases)('%s and %s', (pattern, text, isMatch) => {
    expect(matches(pattern, text, { extglob: true })).toBe(isMatch);
  });

  test('Without extglob parentheses are characters', () => {
    expect(matches('@(a|b)', 'a')).toBe(false);
    expect(matches('@(a|b)', '@(a|b)')).toBe(true);
  });

  test('Upper and lower case may be the same', () => {
    expect(matches('A[b-d]*', 'aCx', { ignoreCase: true })).toBe(true);
  });

  test('A pattern whose ways double with each character is decided at once', () => {
    const text = `${'a'.repeat(400)}b`;
    expect(matches('+(a|aa|+(a))*(a)*a*a*a*c', text, { extglob: true })).toBe(false);
    expect(matches('*a*a*a*a*a*a*a*c', text)).toBe(false);
  });

  test('Groups and brackets that are open cost no more than their length', () => {
    expect(matches('*('.repeat(5000), 'x', { extglob: true })).toBe(false);
    expect(matches('['.repeat(100_000), 'x')).toBe(false);
  });
});

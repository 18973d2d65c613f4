import { expect, test } from 'vitest';
import { parseIgnoreRules } from './ignore-rules.ts';

/** Paths that the rules leave out; those that end in a slash are directories. */
function left(rules: string, paths: readonly string[]): string[] {
  const isIgnored = parseIgnoreRules(rules);
  return paths.filter((path) => isIgnored(path.replace(/\/$/, ''), { isDirectory: path.endsWith('/') }));
}

test('R-12 rules mean what they mean in .gitignore', () => {
  const paths = ['a', 'b/a', 'a/', 'b/a/', 'b/c/a', 'a.log', 'b/x.log', 'A', 'aa'];
  expect(left('a', paths)).toEqual(['a', 'b/a', 'a/', 'b/a/', 'b/c/a']);
  expect(left('a/', paths)).toEqual(['a/', 'b/a/']);
  expect(left('/a', paths)).toEqual(['a', 'a/']);
  expect(left('b/a', paths)).toEqual(['b/a', 'b/a/']);
  expect(left('b/**/a', paths)).toEqual(['b/a', 'b/a/', 'b/c/a']);
  expect(left('**/a', paths)).toEqual(['a', 'b/a', 'a/', 'b/a/', 'b/c/a']);
  expect(left('*.log', paths)).toEqual(['a.log', 'b/x.log']);
  expect(left('/*.log  \r\n# a\n\n', paths)).toEqual(['a.log']);
  expect(left('b/**', paths)).toEqual(['b/a', 'b/a/', 'b/c/a', 'b/x.log']);
  expect(left('a?', paths)).toEqual(['aa']);
  expect(left('a.l(o|g)+\\[x]', [...paths, 'a.l(o|g)+[x]', 'a.l(o|g)+x'])).toEqual(['a.l(o|g)+[x]']);
  expect(left('[a-c].[!l]', ['a.l', 'a.o', 'd.o', '[a-c].[!l]'])).toEqual(['a.o']);
  expect(left('[]^-]x\n[^]]y\n[z', [']x', '-x', '^x', 'ax', ']y', 'ay', '[z'])).toEqual([
    ...[']x', '-x', '^x', 'ay', '[z'],
  ]);
  expect(left('\\#a\n\\!b\nc\\ \nd\\*', ['#a', '!b', 'c ', 'c', 'd*', 'dx'])).toEqual([
    '#a',
    '!b',
    'c ',
    'd*',
  ]);
  expect(left('\u{feff}a', ['a'])).toEqual(['a']);
  expect(left('ü*', ['\u00c3\u00bcber'])).toEqual(['\u00c3\u00bcber']);
});

test('R-12 rules that cannot be kept are refused, and hostile ones cost no time', () => {
  expect(() => parseIgnoreRules('!a')).toThrow('exceptions');
  expect(() => parseIgnoreRules('a\n'.repeat(1_001))).toThrow('1000 rules');
  expect(left(`${'*a'.repeat(12)}b`, ['a'.repeat(255)])).toEqual([]);
});

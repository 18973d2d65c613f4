import { expect, test } from 'vitest';
import { chooseCases, parseCommandLine } from './command-line.ts';

test('a folder is compared whole; options choose cases and what is written', () => {
  expect(parseCommandLine(['oils'])).toEqual({ type: 'compare', folder: 'oils', json: false, only: [] });
  expect(
    parseCommandLine([
      'oils',
      '--json',
      '--only',
      'arith:3',
      '--only',
      'spec/var-op.test.sh',
      '--list-differences',
      'd',
    ]),
  ).toEqual({
    type: 'compare',
    folder: 'oils',
    json: true,
    only: [{ file: 'arith', index: 3 }, { file: 'var-op' }],
    differences: 'd',
  });
  expect(parseCommandLine([])).toEqual({ type: 'help' });
});

test.each([
  [['a', 'b'], 'Unexpected argument "b"; try --help'],
  [['a', '--only', 'arith:x'], '--only is "arith:x", not a file of the suite or FILE:CASE'],
])('%j is refused', (argv, message) => {
  expect(() => parseCommandLine(argv)).toThrow(new RangeError(message));
});

test('chosen cases are those of a file, or one; a choice that is none is an error', () => {
  const cases = [0, 1].map((index) => ({
    file: 'arith',
    index,
    line: 1,
    description: '',
    code: ':',
    hasTmpFolder: false,
  }));
  expect(chooseCases(cases, [])).toEqual(cases);
  expect(chooseCases(cases, [{ file: 'arith', index: 1 }])).toEqual([cases[1]]);
  expect(() => chooseCases(cases, [{ file: 'arith', index: 2 }])).toThrow(
    new RangeError('No case that concerns bash is arith:2'),
  );
});

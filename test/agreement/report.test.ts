import { expect, test } from 'vitest';
import type { Comparison } from './compare.ts';
import { formatDifferences, formatJson, formatTable } from './report.ts';

const answer = { stdout: 'a\n', stderr: '', status: 0 };

function caseOf(file: string, index: number): Comparison['one'] {
  return { file, index, line: 7, description: 'a case', code: 'echo a\n', hasTmpFolder: false };
}

const comparisons: readonly Comparison[] = [
  { one: caseOf('arith', 0), type: 'same', expected: answer, got: answer },
  { one: caseOf('builtin-cd', 0), type: 'same', expected: answer, got: answer },
  { one: caseOf('builtin-cd', 1), type: 'skipped', reason: 'runs a Python program' },
  {
    one: caseOf('builtin-echo', 0),
    type: 'differs',
    expected: { ...answer, stdout: 'Ã©' },
    got: { ...answer, stderr: 'bash: no\n', status: 1, failure: 'did not end in 5 s' },
  },
];

test('the table has groups of files, files and all, with the percentage of what was run', () => {
  expect(formatTable(comparisons).split('\n')).toEqual([
    '                cases  same  differ  skipped       %',
    'arith               1     1       0        0  100.00',
    'builtin-*           3     1       1        1   50.00',
    '  builtin-cd        2     1       0        1  100.00',
    '  builtin-echo      1     0       1        0    0.00',
    'all                 4     2       1        1   66.67',
    '',
    '1 skipped: runs a Python program',
  ]);
});

test('the list of differences has the code and both answers of each, as text', () => {
  expect(formatDifferences(comparisons).split('\n')).toEqual([
    '======== builtin-echo:0 a case (line 7)',
    'echo a',
    '-------- bash: status 0',
    'é⏎',
    '-------- ours, which did not end in 5 s: status 1',
    'a',
    '-------- its stderr',
    'bash: no',
    '',
    '',
  ]);
});

test('JSON has the counts of all and of each file, and the names of what differs', () => {
  expect(JSON.parse(formatJson(comparisons, 'GNU bash'))).toEqual({
    bash: 'GNU bash',
    percentage: 66.67,
    cases: 4,
    same: 2,
    differ: 1,
    skipped: 1,
    reasons: { 'runs a Python program': 1 },
    files: {
      arith: { cases: 1, same: 1, differ: 0, skipped: 0 },
      'builtin-cd': { cases: 2, same: 1, differ: 0, skipped: 1 },
      'builtin-echo': { cases: 1, same: 0, differ: 1, skipped: 0 },
    },
    differing: ['builtin-echo:0'],
  });
});

import { expect, test } from 'vitest';
import {
  addCounts,
  describeCount,
  playwrightCount,
  playwrightFailures,
  vitestCount,
  vitestFailures,
} from './test-count.ts';

test('test counts of both runners add up, and a flaky test counts as failed', () => {
  const vitest = '{"numPassedTests":3,"numFailedTests":1,"numPendingTests":2,"numTodoTests":1}';
  const playwright = '{"stats":{"expected":5,"unexpected":1,"flaky":1,"skipped":4}}';
  expect(addCounts(vitestCount(vitest), playwrightCount(playwright))).toEqual({
    passed: 8,
    failed: 3,
    skipped: 7,
  });
});

test('a count is told in the same words for a group and for all of them', () => {
  expect(describeCount({ passed: 8, failed: 0, skipped: 7 })).toBe('8 passed, 0 failed, 7 skipped');
});

test('failed tests of both runners are told by file, name and error, and a file that failed outside of them by its own', () => {
  const vitest = {
    testResults: [
      {
        name: 'a.test.ts',
        message: '',
        assertionResults: [
          { status: 'passed', fullName: 'adds' },
          { status: 'failed', fullName: 'a list is sorted', failureMessages: ['Error: [2, 1]\n    at sort'] },
        ],
      },
      { name: 'b.test.ts', message: 'SyntaxError', assertionResults: [] },
      {
        name: 'hook.test.ts',
        message: 'afterAll failed',
        assertionResults: [{ status: 'passed', fullName: 'adds' }],
      },
      { name: 'c.test.ts', message: '', assertionResults: [] },
    ],
  };
  expect(vitestFailures(JSON.stringify(vitest))).toEqual([
    'a.test.ts: a list is sorted\n    Error: [2, 1]\n        at sort',
    'b.test.ts\n    SyntaxError',
    'hook.test.ts\n    afterAll failed',
  ]);
  const file = 'd.e2e.ts';
  const results = [{ error: { message: '\u001b[31mError\u001b[39m: not undone' } }];
  const nested = { file, specs: [{ title: 'undoes', ok: false, tests: [{ results }] }] };
  const playwright = { suites: [{ file, specs: [{ title: 'opens', ok: true }], suites: [nested] }] };
  expect(playwrightFailures(JSON.stringify(playwright))).toEqual(['d.e2e.ts: undoes\n    Error: not undone']);
});

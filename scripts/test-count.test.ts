import { expect, test } from 'vitest';
import { addCounts, describeCount, playwrightCount, vitestCount } from './test-count.ts';

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

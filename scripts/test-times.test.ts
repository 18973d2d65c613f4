import { expect, test } from 'vitest';
import { describeSlowest, playwrightTimes, vitestTimes } from './test-times.ts';

test('the slowest files of both runners are told by their tests’ times', () => {
  const vitest = { testResults: [{ name: 'a.test.ts', startTime: 1_000, endTime: 13_000 }] };
  const spec = (duration: number) => ({ tests: [{ results: [{ duration }] }] });
  const playwright = {
    suites: [
      { file: 'b.e2e.ts', specs: [spec(4_000)], suites: [{ file: 'b.e2e.ts', specs: [spec(110_000)] }] },
      { file: 'c.e2e.ts', specs: [spec(900)] },
    ],
  };
  const times = [...vitestTimes(JSON.stringify(vitest)), ...playwrightTimes(JSON.stringify(playwright))];
  expect(describeSlowest(times, 2)).toEqual(['  114 s b.e2e.ts', '   12 s a.test.ts']);
});

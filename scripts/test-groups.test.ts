import { expect, test } from 'vitest';
import { chooseTests, testGroups } from './test-groups.ts';

test('npm test without a name runs every group whole', () => {
  expect([...chooseTests([])]).toEqual(testGroups.map((group) => [group, []]));
});

test('a name is a group, a file or a folder, which is run in its group', () => {
  expect(Object.fromEntries(chooseTests(['host']))).toEqual({ host: [] });
  expect(
    Object.fromEntries(chooseTests(['./tree/live', 'test/host/roots.test.ts', 'test/e2e/tab.e2e.ts'])),
  ).toEqual({ unit: ['tree/live'], host: ['test/host/roots.test.ts'], page: ['test/e2e/tab.e2e.ts'] });
  expect(Object.fromEntries(chooseTests(['test/host/roots.test.ts', 'host', 'test/host/jail']))).toEqual({
    host: [],
  });
});

test('an option is refused with what can be said', () => {
  expect(() => chooseTests(['--only'])).toThrow(/Unknown option --only.*checks\|unit/);
});

import { describe, expect, test } from 'vitest';
import { SuiteTests } from './suite-tests.ts';

const ran: string[] = [];

/** Two groups, as a suite declares them. */
function declareSuite(tests: SuiteTests, name: string): void {
  tests.describe('first group', (test) => {
    test('one', async () => void ran.push(`${name} one`));
    test('two', { timeout: 1_000 }, async () => void ran.push(`${name} two`));
  });
  const alone = tests.alone('tests of their own');
  alone('three', async () => void ran.push(`${name} three`));
  alone('four', async () => void ran.push(`${name} four`));
}

const whole = new SuiteTests();
const sampled = new SuiteTests({
  ...{ 'first group': ['two', 'renamed'], 'tests of their own': ['four'], 'removed group': ['five'] },
  'another that was removed': 'all',
});
const wholeGroup = new SuiteTests({ 'first group': 'all' });

describe('a suite', () => {
  describe('without a sample', () => declareSuite(whole, 'whole'));
  describe('with a sample', () => declareSuite(sampled, 'sampled'));
  describe('with all of a group', () => declareSuite(wholeGroup, 'group'));
});

test('a sample registers what it names and nothing else, and tells what it names that is not there', () => {
  expect(ran).toEqual([
    ...['whole one', 'whole two', 'whole three', 'whole four'],
    ...['sampled two', 'sampled four', 'group one', 'group two'],
  ]);
  expect(whole.unknown()).toEqual([]);
  expect(sampled.unknown()).toEqual([
    'first group > renamed',
    'removed group > five',
    'another that was removed',
  ]);
  expect(wholeGroup.unknown()).toEqual([]);
});

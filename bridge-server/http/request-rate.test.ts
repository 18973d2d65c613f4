import { expect, test } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import { RequestRate, rateKey } from './request-rate.ts';

test('S-6 a key has its burst, and then what comes in by the second', () => {
  let nowMs = 0;
  const rate = new RequestRate({ perSecond: 2, burst: 3 }, () => nowMs);
  expect([1, 2, 3, 4].map(() => rate.take('a'))).toEqual([0, 0, 0, 1]);
  expect(rate.take('b')).toBe(0);
  nowMs += 500;
  expect([rate.take('a'), rate.take('a')]).toEqual([0, 1]);
  nowMs += 60_000;
  expect([1, 2, 3, 4].map(() => rate.take('a'))).toEqual([0, 0, 0, 1]);
});

test('S-6 of many keys, those seen last are remembered', () => {
  const rate = new RequestRate({ perSecond: 1, burst: 1 }, () => 0);
  rate.take('first');
  for (let index = 1; index < limits.rateKeys; index++) rate.take(`key ${index}`);
  expect(rate.take('first')).toBe(1);
  rate.take('one too many');
  expect([rate.take('first'), rate.take('key 1')]).toEqual([1, 0]);
});

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::ffff:10.0.0.1', '::ffff:10.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::9', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  [undefined, ''],
])('the key of address %s is %s', (address, key) => {
  expect(rateKey(address)).toBe(key);
});

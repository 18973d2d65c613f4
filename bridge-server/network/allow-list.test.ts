import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import { denialReasons } from '../../protocol/network-log.ts';
import { AllowList } from './allow-list.ts';

const { notListed } = denialReasons;
let nowMs = 0;
beforeEach(() => {
  nowMs = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
});
afterEach(() => void vi.restoreAllMocks());

const address = '140.82.121.4';
const record = { address, ttlSeconds: 60 };

test('S-8 names on a list are those of its entries, and those below them only where that is said', () => {
  const list = new AllowList(['pypi.org', '*.debian.org:443', '140.82.121.4']);
  for (const name of ['pypi.org', 'deb.debian.org', 'a.b.debian.org']) expect(list.hasName(name)).toBe(true);
  for (const name of ['debian.org', 'files.pypi.org', 'pypi.org.evil.test', 'notdebian.org', '140.82.121.4'])
    expect(list.hasName(name)).toBe(false);
});

test('S-8 an address is reached once a name on the list has it, at the ports of the entries for that name', () => {
  const list = new AllowList(['pypi.org:443', 'pypi.org:80', '*.debian.org']);
  const ports = () => [80, 443, 22].map((port) => list.whyNot({ address, port }));
  expect(ports()).toEqual([notListed, notListed, notListed]);
  list.note('other.test', [record]);
  expect(ports()).toEqual([notListed, notListed, notListed]);
  list.note('pypi.org', [record]);
  expect(ports()).toEqual([undefined, undefined, notListed]);
  expect(list.whyNot({ address: '140.82.121.5', port: 443 })).toBe(notListed);
  list.note('deb.debian.org', [record]);
  expect(ports()).toEqual([undefined, undefined, undefined]);
});

test('S-8 for the time to live of the answer, which is some minutes at least', () => {
  const list = new AllowList(['pypi.org']);
  const isReached = () => list.whyNot({ address, port: 443 }) === undefined;
  list.note('pypi.org', [record]);
  nowMs += limits.allowedAddressMs - 1;
  expect(isReached()).toBe(true);
  nowMs += 1;
  expect(isReached()).toBe(false);
  const ttlSeconds = (limits.allowedAddressMs / 1_000) * 2;
  list.note('pypi.org', [{ address, ttlSeconds }]);
  // A later answer takes nothing from an earlier one, which a program may still have.
  list.note('pypi.org', [{ address, ttlSeconds: 0 }]);
  nowMs += ttlSeconds * 1_000 - 1;
  expect(isReached()).toBe(true);
  nowMs += 1;
  expect(isReached()).toBe(false);
});

test('S-8 addresses on the list are reached without a question', () => {
  const list = new AllowList(['203.0.113.7:22', '198.51.100.0/24']);
  const reached = [
    ['203.0.113.7', 22],
    ['198.51.100.0', 1],
    ['198.51.100.255', 65_535],
  ] as const;
  const refused = [
    ['203.0.113.7', 443],
    ['203.0.113.8', 22],
    ['198.51.101.0', 1],
    ['::1', 22],
  ] as const;
  for (const [each, port] of reached) expect(list.whyNot({ address: each, port })).toBeUndefined();
  for (const [each, port] of refused) expect(list.whyNot({ address: each, port })).toBe(notListed);
});

test('S-6 of very many addresses the last that were found are kept', () => {
  const list = new AllowList(['*.many.test']);
  const addressAt = (index: number) => `140.82.${index >> 8}.${index & 255}`;
  const many = Array.from({ length: limits.allowedAddresses + 1 }, (_, index) => addressAt(index));
  for (const each of many) list.note('a.many.test', [{ address: each, ttlSeconds: 60 }]);
  const left = many.filter((each) => list.whyNot({ address: each, port: 80 }) === undefined);
  expect(left).toEqual(many.slice(1));
});

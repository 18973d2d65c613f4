import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LiveTokens } from './live-tokens.ts';

const recheckMs = 1_000;
let valid: Set<string>;
let failures: unknown[];
let live: LiveTokens;
let ended: string[];
let isBroken = false;
let untilMs: number;

beforeEach(() => {
  vi.useFakeTimers();
  valid = new Set(['a', 'b']);
  [failures, ended, isBroken] = [[], [], false];
  const validUntilMs = (id: string) => {
    if (isBroken) throw new Error('the database is locked');
    return valid.has(id) ? untilMs : undefined;
  };
  untilMs = Number.POSITIVE_INFINITY;
  live = new LiveTokens({ validUntilMs }, { recheckMs, onFailure: (error) => failures.push(error) });
});
afterEach(() => {
  live[Symbol.dispose]();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const hold = (id: string, name: string, expiresAtMs?: number) =>
  live.hold({ id, expiresAtMs }, ({ code }, end) =>
    ended.push(end === 'expired' ? `${name} ${end}` : `${name} ${code}`),
  );

test('S-6 what a token holds ends once when it is seen to be invalid, and nothing else does', () => {
  hold('a', 'first');
  hold('a', 'second');
  hold('b', 'other');
  valid.delete('a');
  expect(ended).toEqual([]);
  live.recheck();
  live.recheck();
  expect(ended).toEqual(['first unauthenticated', 'second unauthenticated']);
  expect(live.size).toBe(1);
});

test('S-6 what nobody revoked here is noticed within a while', () => {
  hold('a', 'only');
  valid.delete('a');
  vi.advanceTimersByTime(recheckMs - 1);
  expect(ended).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(ended).toEqual(['only unauthenticated']);
});

test('S-6 what is held for a token that has ended meanwhile ends at once', () => {
  valid.delete('a');
  hold('a', 'late')();
  expect([ended, live.size]).toEqual([['late unauthenticated'], 0]);
});

test('S-6 a token that has run out is told from one that was taken away, also when it was renewed', () => {
  untilMs = Date.now() + 2 * recheckMs;
  hold('a', 'renewed', Date.now() + 1);
  hold('b', 'revoked', Date.now() + 1);
  vi.advanceTimersByTime(recheckMs);
  valid.delete('b');
  live.recheck();
  expect(ended).toEqual(['revoked unauthenticated']);
  vi.advanceTimersByTime(recheckMs - 1);
  valid.delete('a');
  vi.advanceTimersByTime(1);
  expect(ended.slice(1)).toEqual(['renewed expired']);
  hold('a', 'late', Date.now());
  expect(ended.slice(2)).toEqual(['late expired']);
});

test('what was let go of is not told, and nothing is looked at any more', () => {
  const letGo = [hold('a', 'first'), hold('a', 'second')];
  letGo[0]?.();
  valid.delete('a');
  live.recheck();
  expect(ended).toEqual(['second unauthenticated']);
  letGo[1]?.();
  valid.add('a');
  const again = hold('a', 'again');
  letGo[1]?.();
  expect(live.size).toBe(1);
  again();
  expect(vi.getTimerCount()).toBe(0);
});

test('records that cannot be read end nothing, and are asked again', () => {
  hold('a', 'first');
  isBroken = true;
  hold('a', 'second');
  vi.advanceTimersByTime(recheckMs);
  expect([ended, failures.length]).toEqual([[], 2]);
  isBroken = false;
  valid.delete('a');
  vi.advanceTimersByTime(recheckMs);
  expect(ended).toEqual(['first unauthenticated', 'second unauthenticated']);
});

import { afterEach, expect, test, vi } from 'vitest';
import { limits } from '../protocol/limits.ts';
import { EventLog } from './event-log.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('a listener that joins late gets what is kept after its number, then what comes', () => {
  const log = new EventLog();
  for (let count = 0; count < limits.eventRing + 1; count++) log.emit({ type: 'history' });
  const seen: number[] = [];
  const stop = log.subscribe(limits.eventRing - 1, ({ seq }) => seen.push(seq));
  log.emit({ type: 'ready' });
  stop();
  log.emit({ type: 'ready' });
  expect(seen).toEqual([limits.eventRing, limits.eventRing + 1, limits.eventRing + 2]);
});

test('H-8 a listener that fails, at once or later, keeps nothing from the others', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
  const log = new EventLog();
  const seen: string[] = [];
  log.subscribe(0, () => {
    throw new TypeError('at once');
  });
  log.subscribe(0, () => Promise.reject(new TypeError('later')));
  log.subscribe(0, ({ type }) => seen.push(type));
  expect(() => log.emit({ type: 'ready' })).not.toThrow();
  await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(2), { timeout: 120_000 });
  expect(seen).toEqual(['ready']);
});

import { expect, test } from 'vitest';
import type { Checkpoint } from '../../../protocol/checkpoint.ts';
import type { SnapshotInfo } from '../../../protocol/sandbox/history.ts';
import type { HistoryRow } from '../model/history-rows.ts';
import { clockTime } from '../text/relative-time.ts';
import { nameStop, titleStop } from './stop-names.ts';

const nowMs = Date.UTC(2026, 0, 2);
const takenAtMs = nowMs - 1_000;
const time = clockTime(takenAtMs, nowMs, { seconds: true });
const counts = { created: 2, modified: 1, deleted: 0, paths: ['/a', '/b', '/c'] };
const snapshot = {
  id: 'one',
  takenAtMs,
  cause: { type: 'capture', commands: ['make'] },
  changes: { ...counts, created: 1, modified: 0 },
} as unknown as SnapshotInfo;
const checkpoint = { takenAtMs, cause: { type: 'command', command: 'ls' } } as unknown as Checkpoint;

test('the name of a stop says what it is, when it was and how many files it changed', () => {
  const rows = [{ snapshot, changes: counts } as unknown as HistoryRow];
  const none = { ...snapshot, changes: { created: 0, modified: 0, deleted: 0, paths: [] } };
  const name = (stop: Parameters<typeof nameStop>[0]): string => nameStop(stop, { rows: [], nowMs });
  expect(name({ type: 'snapshot', snapshot })).toBe(`snapshot, make, ${time}, 1 file: 1 created`);
  expect(name({ type: 'snapshot', snapshot: none })).toBe(`snapshot, make, ${time}, no files changed`);
  expect(name({ type: 'checkpoint', checkpoint })).toBe(`checkpoint, after ls, ${time}`);
  expect(name({ type: 'now' })).toBe('now');
  // Captures of one command that are folded under its row count together, as in the history.
  expect(nameStop({ type: 'snapshot', snapshot }, { rows, nowMs })).toBe(
    `snapshot, make, ${time}, 3 files: 2 created, 1 modified`,
  );
});

test('the title of a stop is its time and what it is', () => {
  expect(titleStop({ type: 'snapshot', snapshot }, nowMs)).toBe(`${time} make`);
  expect(titleStop({ type: 'checkpoint', checkpoint }, nowMs)).toBe(`${time} after ls`);
  expect(titleStop(undefined, nowMs)).toBe('now');
});

import { afterEach, expect, test, vi } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import { recordingLimits } from '../../recording/limits.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import { RecordedSnapshots } from './recorded-snapshots.ts';
import type { OpenedSnapshot, SnapshotObjects } from './snapshot-objects.ts';

const id = 'a'.repeat(64) as SnapshotId;
const pieces = 6;
const workMs = 2 * limits.recordingWorkMs;

afterEach(() => {
  vi.useRealTimers();
});

test('P-1 a snapshot leaves the session several times the time that its pieces take, until that ends', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  let made = 0;
  const snapshot = {
    ...{ id, parents: [], takenAtMs: 1, cause: { type: 'manual', label: 'large' } },
    changes: { created: 0, modified: 0, deleted: 0, paths: [] },
  } as unknown as OpenedSnapshot['snapshot'];
  const opened: OpenedSnapshot = {
    snapshot,
    export: (async function* () {
      for (; made < pieces; made++) {
        vi.advanceTimersByTime(workMs);
        yield new Uint8Array(recordingLimits.objectsPieceBytes);
      }
    })(),
    finish: () => undefined,
  };
  const added: string[] = [];
  const snapshots = new RecordedSnapshots({
    objects: { open: () => opened } as unknown as SnapshotObjects,
    room: async () => undefined,
    add: (...events) => void added.push(...events.map(({ type }) => type)),
  });
  snapshots.take(id);
  await vi.advanceTimersByTimeAsync(workMs * limits.recordingRests - 1);
  expect([made, added]).toEqual([0, []]);
  await vi.advanceTimersByTimeAsync(1);
  expect([made, added]).toEqual([1, ['objects']]);
  snapshots.hurry();
  await vi.advanceTimersByTimeAsync(workMs * limits.recordingRests);
  await snapshots.settle();
  expect(added).toEqual([...Array(pieces + 1).fill('objects'), 'snapshot', 'marker']);
});

import { expect, test } from 'vitest';
import type { Checkpoint } from '../../../protocol/checkpoint.ts';
import type { SnapshotInfo } from '../../../protocol/sandbox/history.ts';
import { checkpointOfSnapshot, scrubbedScreen, snapshotOfCheckpoint } from './checkpoints-of-snapshots.ts';
import { initialState, type SandboxState } from './sandbox-state.ts';

const snapshot = (id: string, parent: string | undefined, takenAtMs: number): SnapshotInfo =>
  ({ id, parents: parent === undefined ? [] : [parent], takenAtMs, tags: [] }) as unknown as SnapshotInfo;
const checkpoint = (id: number, head: string, cause: Checkpoint['cause']['type'] = 'interval'): Checkpoint =>
  ({ id, head, takenAtMs: id, cause: { type: cause } }) as Checkpoint;

const [root, made, other] = [
  snapshot('root', undefined, 10),
  snapshot('made', 'root', 20),
  snapshot('other', 'root', 40),
];
const state = {
  ...initialState,
  history: { snapshots: [root, made, other], head: other.id },
  checkpoints: [
    checkpoint(12, 'root'),
    checkpoint(19, 'root', 'command'),
    checkpoint(22, 'made'),
    checkpoint(25, 'made', 'before-restore'),
  ],
} as unknown as SandboxState;

test('B-4 the checkpoint of a snapshot is the last before it was captured, or that which was left at it', () => {
  expect(checkpointOfSnapshot(root, state)).toBeUndefined();
  expect(checkpointOfSnapshot({ ...made, takenAtMs: 21 }, state)?.id).toBe(25);
  expect(checkpointOfSnapshot(made, { ...state, checkpoints: state.checkpoints.slice(0, 3) })?.id).toBe(19);
});

test('B-4 a snapshot without a checkpoint of its own is shown with the last screen before it, once checkpoints are known', () => {
  const quick = snapshot('quick', 'captured between two checkpoints', 24);
  const looking = {
    ...state,
    history: { snapshots: [root, made, quick], head: quick.id },
    scrubbing: { checkpoint: undefined, snapshot: quick.id, isGoing: false },
  } as unknown as SandboxState;
  expect(scrubbedScreen({ ...looking, checkpoints: [] })?.checkpoint).toBeUndefined();
  expect(scrubbedScreen(looking)?.checkpoint).toBe(22);
  expect(scrubbedScreen({ ...looking, scrubbing: undefined })).toBeUndefined();
});

test('B-4 the files of a checkpoint are in the next snapshot, or else in the one before', () => {
  const [first, , third] = state.checkpoints;
  expect(first && snapshotOfCheckpoint(first, state)).toBe('made');
  expect(third && snapshotOfCheckpoint(third, state)).toBe('made');
  expect(snapshotOfCheckpoint(checkpoint(30, 'gone'), state)).toBeUndefined();
});

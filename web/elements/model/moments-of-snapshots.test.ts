import { expect, test } from 'vitest';
import type { Moment } from '../../../protocol/recording.ts';
import type { SnapshotInfo } from '../../../protocol/sandbox/history.ts';
import { momentOfSnapshot, snapshotOfMoment } from './moments-of-snapshots.ts';
import { initialState, type SandboxState } from './sandbox-state.ts';

const snapshot = (id: string, parent: string | undefined, takenAtMs: number): SnapshotInfo =>
  ({ id, parents: parent === undefined ? [] : [parent], takenAtMs, tags: [] }) as unknown as SnapshotInfo;
const moment = (id: number, head: string, cause: Moment['cause']['type'] = 'interval'): Moment =>
  ({ id, head, takenAtMs: id, cause: { type: cause } }) as Moment;

const [root, made, other] = [
  snapshot('root', undefined, 10),
  snapshot('made', 'root', 20),
  snapshot('other', 'root', 40),
];
const state = {
  ...initialState,
  history: { snapshots: [root, made, other], head: other.id },
  moments: [
    moment(12, 'root'),
    moment(19, 'root', 'command'),
    moment(22, 'made'),
    moment(25, 'made', 'left'),
  ],
} as unknown as SandboxState;

test('B-4 the moment of a snapshot is the last before it was captured, or that which was left at it', () => {
  expect(momentOfSnapshot(root, state)).toBeUndefined();
  expect(momentOfSnapshot({ ...made, takenAtMs: 21 }, state)?.id).toBe(25);
  expect(momentOfSnapshot(made, { ...state, moments: state.moments.slice(0, 3) })?.id).toBe(19);
});

test('B-4 the files of a moment are in the next snapshot, or else in the one before', () => {
  const [first, , third] = state.moments;
  expect(first && snapshotOfMoment(first, state)).toBe('made');
  expect(third && snapshotOfMoment(third, state)).toBe('made');
  expect(snapshotOfMoment(moment(30, 'gone'), state)).toBeUndefined();
});

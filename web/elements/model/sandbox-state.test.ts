import { describe, expect, test } from 'vitest';
import type { SandboxEvent } from '../../../protocol/sandbox/events.ts';
import type { SnapshotInfo } from '../../../protocol/sandbox/history.ts';
import { pickComparison } from './pick-comparison.ts';
import { initialState, reduceEvent, type SandboxState, visibleSnapshots } from './sandbox-state.ts';

const pending = { created: 2, modified: 0, deleted: 0, paths: ['/a', '/b'] };
const nothing = { created: 0, modified: 0, deleted: 0, paths: [] };
const error = { code: 'storage-full', message: 'Cannot store', details: {} } as const;

function snapshot(id: string, ...parents: string[]): SnapshotInfo {
  const cause = { type: 'capture', commands: [] };
  const changes = { created: 0, modified: 0, deleted: 0, paths: [] };
  return { id, parents, tags: [], cause, changes } as unknown as SnapshotInfo;
}

const [a, b, c] = [snapshot('a'), snapshot('b', 'a'), snapshot('c', 'b')];
const open: SandboxState = {
  ...initialState,
  phase: 'ready',
  history: { snapshots: [a, b], head: b.id, pending },
};

function applied(state: SandboxState, ...events: readonly object[]): SandboxState {
  return events.reduce<SandboxState>(
    (current, event, index) => reduceEvent(current, { seq: index + 1, ...event } as SandboxEvent),
    state,
  );
}

describe('reduceEvent', () => {
  test('R-3 a snapshot joins the history, moves HEAD and takes up what was pending', () => {
    const { history } = applied(open, { type: 'snapshot', snapshot: c, head: c.id });
    expect(history).toEqual({ snapshots: [a, b, c], head: 'c', pending: nothing });
  });

  test('a snapshot that is told twice is there once', () => {
    const state = applied(open, { type: 'snapshot', snapshot: b, head: b.id });
    expect(state.history?.snapshots).toEqual([a, b]);
  });

  test('before the history is read, its events wait for that reading', () => {
    expect(applied(initialState, { type: 'head', head: a.id }).history).toBeUndefined();
  });

  test('progress, ready, failure and recovery are phases', () => {
    const progress = { stage: 'checkout', doneBytes: 1, totalBytes: 2, elapsedMs: 3 };
    const moving = applied(open, { type: 'progress', progress });
    expect([moving.phase, moving.progress]).toEqual(['moving', progress]);
    const unpacking = { ...progress, stage: 'unpack' };
    const unpacked = [moving, open].map((state) => applied(state, { type: 'progress', progress: unpacking }));
    expect(unpacked).toMatchObject([{ phase: 'moving', progress: unpacking }, { phase: open.phase }]);
    const failed = applied(moving, { type: 'machine-failed', error });
    expect([failed.phase, failed.failure]).toEqual(['failed', error]);
    const ready = applied(failed, { type: 'ready' });
    expect([ready.phase, ready.failure]).toEqual(['ready', undefined]);
    expect(applied(ready, { type: 'closed' }).phase).toBe('closed');
  });

  test('B-10 capture that stopped is said until it goes on', () => {
    const stopped = applied(open, { type: 'capture-stopped', error });
    expect(stopped.captureStopped).toEqual(error);
    expect(applied(stopped, { type: 'capture-resumed' }).captureStopped).toBeUndefined();
  });

  test('a snapshot that is about to be deleted is not shown', () => {
    expect(visibleSnapshots({ ...open, hidden: new Set([a.id]) })).toEqual([b]);
  });
});

describe('pickComparison', () => {
  test('now is compared with HEAD', () => {
    expect(pickComparison(open)).toEqual({ from: 'b', to: 'now' });
  });

  test('a step is compared with the one before it; a root with nothing', () => {
    expect(pickComparison({ ...open, selected: b.id })).toEqual({ from: 'a', to: 'b' });
    expect(pickComparison({ ...open, selected: a.id })).toEqual({ from: undefined, to: 'a' });
  });

  test('since then leads to now, and the marked one to the selected one', () => {
    expect(pickComparison({ ...open, selected: a.id, comparing: 'since' })).toEqual({ from: 'a', to: 'now' });
    const marked = { ...open, comparing: 'marked', marked: a.id } as const;
    expect(pickComparison({ ...marked, selected: b.id })).toEqual({ from: 'a', to: 'b' });
    expect(pickComparison({ ...marked, selected: a.id })).toEqual({ from: undefined, to: 'a' });
  });
});

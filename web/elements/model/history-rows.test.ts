import { describe, expect, test, vi } from 'vitest';
import type { SnapshotInfo } from '../../../protocol/sandbox/history.ts';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import { findRow, historyRows } from './history-rows.ts';
import { pickComparison } from './pick-comparison.ts';
import { initialState, type SandboxState } from './sandbox-state.ts';
import { StepCounter } from './step-counter.ts';

interface Told {
  readonly runs?: readonly string[];
  readonly command?: string;
  readonly tags?: readonly string[];
  readonly created?: number;
}

function captured(id: string, parent: string | undefined, told: Told = {}): SnapshotInfo {
  const { runs, command = 'make', tags = [], created = 1 } = told;
  const changes = { created, modified: 0, deleted: 0, paths: [`/made/${id}`] };
  const parents = parent === undefined ? [] : [parent];
  const cause = { type: 'capture', commands: [command], ...(runs ? { runs } : {}) };
  return { id, parents, tags, cause, changes, takenAtMs: 0 } as unknown as SnapshotInfo;
}

function stateOf(snapshots: readonly SnapshotInfo[], change: Partial<SandboxState> = {}): SandboxState {
  const pending = { created: 0, modified: 0, deleted: 0, paths: [] };
  const head = snapshots.at(-1)?.id as SnapshotId;
  return { ...initialState, phase: 'ready', history: { snapshots, head, pending }, ...change };
}

const ids = (state: SandboxState): string[] => historyRows(state).map(({ snapshot }) => snapshot.id);
const id = (text: string): SnapshotId => text as SnapshotId;

describe('R-3 the history has one row for each command', () => {
  const run = { runs: ['r1'] };
  const snapshots = [
    captured('root', undefined),
    captured('a', 'root', run),
    captured('b', 'a', { ...run, created: 40 }),
    captured('c', 'b', run),
    captured('d', 'c', { runs: ['r2'] }),
  ];

  test('captures that were taken while it ran are folded under the last one, with what all of them changed', () => {
    const state = stateOf(snapshots);
    expect(ids(state)).toEqual(['root', 'c', 'd']);
    const [, row] = historyRows(state);
    expect(row).toMatchObject({ parents: ['root'], isOpen: false, step: undefined });
    expect(row?.steps.map((step) => step.id)).toEqual(['a', 'b']);
    expect(row?.changes).toEqual({
      created: 42,
      modified: 0,
      deleted: 0,
      paths: ['/made/a', '/made/b', '/made/c'],
    });
    expect(pickComparison({ ...state, selected: id('c') })).toEqual({ from: 'root', to: 'c' });
  });

  test('a group that was opened shows its steps, also once more of them come', () => {
    const opened = new Set([id('a')]);
    expect(ids(stateOf(snapshots.slice(0, 3), { opened }))).toEqual(['root', 'a', 'b']);
    const state = stateOf(snapshots, { opened });
    expect(historyRows(state).map(({ snapshot, step }) => [snapshot.id, step])).toEqual([
      ['root', undefined],
      ['a', 1],
      ['b', 2],
      ['c', undefined],
      ['d', undefined],
    ]);
    expect(findRow(state, 'c')).toMatchObject({ isOpen: true, parents: ['b'], changes: { created: 1 } });
  });

  test('what is tagged, selected, at HEAD or branched from keeps its row', () => {
    const tagged = snapshots.map((one) => (one.id === 'a' ? { ...one, tags: ['here'] } : one));
    expect(ids(stateOf(tagged))).toEqual(['root', 'a', 'c', 'd']);
    expect(ids(stateOf(snapshots, { selected: id('b') }))).toEqual(['root', 'b', 'c', 'd']);
    const { history } = stateOf(snapshots);
    expect(ids(stateOf(snapshots, { history: history && { ...history, head: id('b') } }))).toEqual([
      'root',
      'b',
      'c',
      'd',
    ]);
    expect(ids(stateOf([...snapshots, captured('e', 'a', { runs: ['r3'] })]))).toEqual([
      'root',
      'a',
      'c',
      'd',
      'e',
    ]);
  });

  test('runs of another command, and captures that name no run, are rows of their own', () => {
    const own = [captured('a', undefined), captured('b', 'a'), captured('c', 'b', { runs: ['r1'] })];
    expect(ids(stateOf(own))).toEqual(['a', 'b', 'c']);
    // A capture that names a run which had ended does not go on.
    const ended = [captured('a', undefined, { runs: ['r1', 'r2'] }), captured('b', 'a', { runs: ['r2'] })];
    expect(ids(stateOf(ended))).toEqual(['a', 'b']);
  });

  test('R-4 parents that are hidden are passed over', () => {
    const rows = historyRows(stateOf(snapshots, { hidden: new Set([id('c')]) }));
    expect(rows.map(({ snapshot, parents }) => [snapshot.id, parents])).toEqual([
      ['root', []],
      ['b', ['root']],
      ['d', ['b']],
    ]);
  });
});

test('R-3 folded captures are counted together once their command is quiet: what one made and another changed is one', async () => {
  vi.useFakeTimers();
  let state = stateOf([
    captured('root', undefined),
    captured('a', 'root', { runs: ['r1'] }),
    captured('b', 'a', { runs: ['r1'] }),
  ]);
  const asked: string[] = [];
  using counter = new StepCounter({
    state: () => state,
    diff: async (from, to) => {
      asked.push(`${from} ${to}`);
      return [
        { type: 'created', path: '/made', sizeBytes: 1 },
        { type: 'metadata', path: '/', sizeBytes: 0, isDirectory: true },
      ];
    },
    onCounted: (counted) => {
      state = { ...state, counted };
    },
  });
  counter.noteHistory();
  counter.noteHistory();
  await vi.runAllTimersAsync();
  counter.noteHistory();
  await vi.runAllTimersAsync();
  expect(asked).toEqual(['root b']);
  expect(findRow(state, 'b')?.changes).toEqual({ created: 1, modified: 0, deleted: 0, paths: ['/made'] });
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe('the history can be searched', () => {
  const snapshots = [
    captured('root', undefined, { command: 'start' }),
    captured('a', 'root', { command: 'git clone', runs: ['r1'] }),
    captured('b', 'a', { command: 'git clone', runs: ['r1'] }),
    captured('c', 'b', { command: 'make test', tags: ['Green'] }),
  ];

  test('by the words of commands, tags and paths, also of folded captures', () => {
    const found = (search: string) => ids(stateOf(snapshots, { search }));
    expect(found('GIT clone')).toEqual(['b']);
    expect(found('/made/a')).toEqual(['b']);
    expect(found('green make')).toEqual(['c']);
    expect(found('green git')).toEqual([]);
    expect(found('  ')).toEqual(['root', 'b', 'c']);
  });

  test('and filtered, with what is left in one line', () => {
    const rows = historyRows(stateOf(snapshots, { filter: 'tagged' }));
    expect(rows.map(({ snapshot, parents }) => [snapshot.id, parents])).toEqual([['c', []]]);
    const manual = { ...captured('d', 'c'), cause: { type: 'manual', label: 'by me' } as const };
    expect(ids(stateOf([...snapshots, manual], { filter: 'by-hand' }))).toEqual(['d']);
  });
});

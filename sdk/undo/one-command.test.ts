import { expect, test } from 'vitest';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import { sampleSnapshot } from '../../test/fixtures/wire-backend.ts';
import { foldCommands } from './one-command.ts';
import { planRedo, planUndo, type StepView } from './steps.ts';

const id = (name: string) => name.padEnd(64, '0') as SnapshotInfo['id'];

/** A snapshot of the runs of these commands, after its parent. */
function captured(name: string, parent: string, runs: readonly string[], tags: string[] = []): SnapshotInfo {
  const changes = { created: 1, modified: 0, deleted: 0, paths: [`/${name}`] };
  const cause = { type: 'capture', commands: runs, runs } as const;
  return { ...sampleSnapshot, id: id(name), parents: [id(parent)], cause, changes, tags };
}

const first: SnapshotInfo = {
  ...sampleSnapshot,
  ...{ id: id('a'), parents: [], tags: [], cause: { type: 'image', image: 'debian' } },
};
const install = ['b', 'c', 'd'].map((name, at) => captured(name, 'abc'[at] ?? '', ['npm']));
const [, half] = install;
const after = captured('e', 'd', ['ls']);
const view = (snapshots: readonly SnapshotInfo[], head = 'e'): StepView => ({
  ...{ snapshots, head: id(head) },
  refreshed: new Set(),
  pending: { created: 0, modified: 0, deleted: 0, paths: [] },
});

test('R-3 all captures of one command are one step, however long it took', () => {
  const whole = view([first, ...install, after]);
  expect(planUndo(whole, { count: 1, remedy: '' }).target.id).toBe(id('d'));
  const two = planUndo(whole, { count: 2, remedy: '' });
  expect(two.target.id).toBe(id('a'));
  expect(two.steps.map((step) => step.shown.id)).toEqual([id('e'), id('d')]);
  const undone = view([first, ...install, { ...after, tags: ['undone'] }], 'a');
  expect(planRedo(undone, { count: 1, remedy: '' }).target.id).toBe(id('d'));
});

test('R-3 one line has what all captures of a command have changed; what is tagged, or HEAD, has a line of its own', () => {
  const all = [after, ...install.toReversed(), first];
  const [, line, last] = foldCommands(all, { head: id('e') });
  expect(line).toMatchObject({
    id: id('d'),
    parents: [id('a')],
    changes: { created: 3, paths: ['/b', '/c', '/d'] },
  });
  expect(last?.id).toBe(id('a'));
  expect(foldCommands(all, { head: half?.id }).map((each) => each.id)).toEqual(['e', 'd', 'c', 'a'].map(id));
  const other = captured('f', 'c', ['other']);
  expect(foldCommands([other, ...all], { head: id('e') }).map((each) => each.id)).toEqual(
    ['f', 'e', 'd', 'c', 'a'].map(id),
  );
});

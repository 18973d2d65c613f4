import { expect, test } from 'vitest';
import { StandInBackend } from '../../../test/fixtures/page-backend.ts';
import type { Action } from '../model/actions.ts';
import { SandboxModel } from '../model/sandbox-model.ts';
import { listCommands } from './commands.ts';

const openPane = async (backend: StandInBackend, id: string): Promise<SandboxModel> => {
  const pane = new SandboxModel(() => backend.open({ id }, () => undefined));
  pane.noteShell();
  await pane.start();
  return pane;
};

test('R-4 the palette has what buttons do with the selected snapshot, with panes, and with the sandbox', async () => {
  const backend = new StandInBackend('');
  const [info] = await backend.list();
  const active = await openPane(backend, info?.id ?? '');
  const [first, tagged] = active.state.history?.snapshots.filter(({ tags }) => tags.length > 0) ?? [];
  if (first === undefined || tagged === undefined) throw new Error('The history has no two tags');
  const forked = await active.fork(first.id);
  const other = await openPane(backend, forked?.id ?? '');
  active.mark(first.id);
  active.select(tagged.id);
  const titles = listCommands(active.state, { panes: [active, other], active }).map(({ title }) => title);
  for (const title of [
    'Go back to the selected snapshot',
    'Share the selected snapshot as a link or a file',
    'Tag the selected snapshot',
    `Remove the tag “${tagged.tags[0]}”`,
    'Compare with the step before',
    'Compare the selected snapshot with now',
    'Compare with the marked snapshot',
    'Compare with the pane “hello fork”',
    'Share now as a link or a file',
    'Go to the pane “hello fork”',
    'Close this pane',
    'Rename this sandbox',
    'Delete this sandbox',
  ]) {
    expect(titles).toContain(title);
  }
  expect(new Set(titles).size).toBe(titles.length);
  await Promise.all([active.close(), other.close()]);
});

test('R-4 a second tab of one sandbox has its choices in the palette', async () => {
  const backend = new StandInBackend('busy');
  const [info] = await backend.list();
  const pane = await openPane(backend, info?.id ?? '');
  const types = listCommands(pane.state, { panes: [pane], active: pane }).map(({ action }) => action.type);
  const wanted: Action['type'][] = ['reopen', 'fork-busy', 'open-read-only'];
  expect(types).toEqual(expect.arrayContaining(wanted));
});

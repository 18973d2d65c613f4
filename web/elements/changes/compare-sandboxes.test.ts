import { expect, test } from 'vitest';
import { StandInBackend } from '../../../test/fixtures/page-backend.ts';
import { compareSandboxes } from './compare-sandboxes.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const noProgress = (): void => undefined;

async function openPair() {
  const backend = new StandInBackend('');
  const [info] = await backend.list();
  const parent = await backend.open({ id: info?.id ?? '' }, noProgress);
  const { head } = await parent.history.get();
  const fork = await backend.open({ id: (await parent.history.fork({ id: head })).id }, noProgress);
  return { backend, parent, fork, head };
}

test('X-7 what two sandboxes have changed since the state that both had is compared by path and content', async () => {
  const { parent, fork } = await openPair();
  await parent.files.write({ path: '/home/user/only-parent', bytes: bytes('p') });
  await fork.files.write({ path: '/home/user/only-fork', bytes: bytes('f') });
  for (const sandbox of [parent, fork])
    await sandbox.files.write({ path: '/home/user/same', bytes: bytes('same') });
  await parent.files.write({ path: '/home/user/both', bytes: bytes('one') });
  await fork.files.write({ path: '/home/user/both', bytes: bytes('two') });
  await parent.files.remove({ path: '/etc/motd' });
  await fork.files.remove({ path: '/etc/hostname' });
  const found = await compareSandboxes({ connection: parent, at: 'now' }, { connection: fork, at: 'now' });
  expect(found.map(({ type, path }) => `${type} ${path}`)).toEqual([
    'deleted /etc/hostname',
    'created /etc/motd',
    'modified /home/user/both',
    'created /home/user/only-fork',
    'deleted /home/user/only-parent',
  ]);
});

test('X-7 an older snapshot of one is compared with another one too', async () => {
  const { parent, fork, head } = await openPair();
  const at = (await parent.history.get()).snapshots.at(-2)?.id ?? head;
  const own = await parent.history.diff({ from: at, to: head });
  const found = await compareSandboxes({ connection: parent, at }, { connection: fork, at: 'now' });
  expect(found.map(({ type, path }) => [type, path])).toEqual(own.map(({ type, path }) => [type, path]));
});

test('H-10 sandboxes that have no state in common are not compared, by name', async () => {
  const { backend, parent } = await openPair();
  const stranger = await backend.create({}, noProgress);
  const comparing = compareSandboxes({ connection: parent, at: 'now' }, { connection: stranger, at: 'now' });
  await expect(comparing).rejects.toMatchObject({
    code: 'unsupported',
    message: /no snapshot of one has the same files as a snapshot of the other/,
  });
});

import { expect, test } from 'vitest';
import { StandInBackend } from '../../../test/fixtures/page-backend.ts';
import { compareSandboxes } from './compare-sandboxes.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const noProgress = (): void => undefined;

async function openPair() {
  const backend = new StandInBackend('');
  const [info] = await backend.list();
  const parent = await backend.open(info?.id ?? '', {}, noProgress);
  const { head } = await parent.history();
  const fork = await backend.open((await parent.fork(head)).id, {}, noProgress);
  return { backend, parent, fork, head };
}

test('X-7 what two sandboxes have changed since the state that both had is compared by path and content', async () => {
  const { parent, fork } = await openPair();
  await parent.writeFile('/home/user/only-parent', bytes('p'));
  await fork.writeFile('/home/user/only-fork', bytes('f'));
  for (const sandbox of [parent, fork]) await sandbox.writeFile('/home/user/same', bytes('same'));
  await parent.writeFile('/home/user/both', bytes('one'));
  await fork.writeFile('/home/user/both', bytes('two'));
  await parent.removeFile('/etc/motd');
  await fork.removeFile('/etc/hostname');
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
  const at = (await parent.history()).snapshots.at(-2)?.id ?? head;
  const own = await parent.diff(at, head);
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

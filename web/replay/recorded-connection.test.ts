import { expect, test } from 'vitest';
import { moveStream } from '../../protocol/copy/copy-snapshot.ts';
import { shellBackend } from '../../runtimes/shell/shell-backend.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { openedRecording } from '../../test/fixtures/opened-recording.ts';
import { recordedSession, type SessionStep } from '../../test/fixtures/recorded-session.ts';

async function open(steps: readonly SessionStep[], change = (bytes: Uint8Array): Uint8Array => bytes) {
  return openedRecording(change(await recordedSession(steps)));
}

const steps = [
  { run: 'mkdir -p a/b; echo one > a/b/file; ln -s a/b way; ln -s way/file link; ln -s round round' },
  { run: 'seq 1 200000 > large; mv a/b/file a/b/moved' },
  { run: 'rm -r a; echo two > new' },
];

test('P-2 the files of each snapshot are read, with links and large files, and what differs is told', async () => {
  const { connection, snapshots } = await open(steps);
  const [, first, second, third] = snapshots;
  if (!first || !second || !third) throw new Error('A snapshot is missing');
  const text = async (path: string, at: typeof first) =>
    new TextDecoder().decode(await connection.files.read({ path, at }));
  expect(await text('/home/user/link', first)).toBe('one\n');
  expect((await text('/home/user/large', second)).length).toBe(1_288_895);
  const names = (await connection.files.list({ path: '/home/user/way/../', at: first })).map(
    ({ name }) => name,
  );
  expect(names).toEqual(['b']);
  expect(await connection.files.stat({ path: '/home/user/link', at: first })).toMatchObject({
    type: 'symlink',
    target: 'way/file',
  });
  await expect(text('/home/user/round', first)).rejects.toMatchObject({ code: 'invalid-argument' });
  await expect(text('/home/user/new', second)).rejects.toMatchObject({ code: 'not-found' });
  const changes = await connection.history.diff({ from: second, to: third });
  expect(changes.map(({ type, path }) => `${type} ${path}`)).toEqual([
    'deleted /home/user/a',
    'deleted /home/user/a/b',
    'deleted /home/user/a/b/moved',
    'created /home/user/new',
  ]);
  await expect(connection.files.write({ path: '/x', bytes: new Uint8Array(1) })).rejects.toMatchObject({
    code: 'read-only',
  });
});

test('H-9 a snapshot that is not what it is called, or damaged, is refused, and those before it are shown', async () => {
  const swap = (bytes: Uint8Array): Uint8Array => {
    const text = new TextDecoder().decode(bytes);
    const ids = [...text.matchAll(/\\"type\\":\\"snapshot\\",\\"id\\":\\"([0-9a-f]{64})/g)].map(
      ([, id = '']) => id,
    );
    const [, , second = '', third = ''] = ids;
    return new TextEncoder().encode(
      text.replaceAll(second, 'f'.repeat(64)).replaceAll(third, second).replaceAll('f'.repeat(64), third),
    );
  };
  const { connection, snapshots } = await open(steps, swap);
  const at = (index: number) => snapshots[index] ?? 'now';
  expect(await connection.files.read({ path: '/home/user/link', at: at(1) })).toHaveLength(4);
  await expect(connection.files.list({ path: '/', at: at(2) })).rejects.toMatchObject({
    code: 'corrupt-object',
  });
  await expect(connection.files.list({ path: '/', at: at(3) })).rejects.toMatchObject({
    code: 'corrupt-object',
  });
});

test('P-3 the files that the file holds itself go on in a shell, where nothing runs the image', async () => {
  const { connection, snapshots } = await open(steps);
  const at = snapshots[2] ?? 'now';
  const backend = shellBackend();
  const { id } = await moveStream({
    from: () => connection.transfer.exportTar({ at, since: 'base' }),
    to: () => backend.openImport({ runtime: 'shell', archive: { label: 'recorded' }, name: 'live' }),
    ...{ onProgress: () => undefined, signal: undefined },
  });
  await using live = await Sandbox.open(id, { backend });
  expect((await live.run('cat way/moved; tail -n 1 large; readlink link')).stdout).toBe(
    'one\n200000\nway/file\n',
  );
});

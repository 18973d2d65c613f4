import { expect, test } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import type { Progress } from '../../protocol/sandbox/progress.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { shellBackend } from '../shell-backend.ts';
import { nodeBackend } from './node-backend.ts';

/** A folder of this host whose sandboxes are shells, too, and which says how often it is held. */
function openWithHost() {
  const stored = shellBackend();
  const held = { now: 0, times: 0 };
  const backend = nodeBackend(shellBackend(), {
    open: async (progress) => {
      if (held.now > 0) throw new SandboxError('busy', 'Somebody holds the folder');
      held.now += 1;
      held.times += 1;
      await progress.step('Unpack', async (report) => report.bytes(1, 2));
      const create: typeof stored.create = ({ runtime: _, image: __, ...ask }, onProgress) =>
        stored.create(ask, onProgress);
      const { open, connect, exportTar, openImport, list, rename, setTimeout } = bound(stored);
      return {
        backend: {
          ...{ create, open, connect, exportTar, openImport, list, rename, setTimeout },
          delete: (ask) => stored.delete(ask),
        },
        [Symbol.asyncDispose]: async () => {
          held.now -= 1;
        },
      };
    },
    read: async () => ({ backend: stored, [Symbol.asyncDispose]: async () => undefined }),
  });
  return { backend, held };
}

function bound(backend: ReturnType<typeof shellBackend>) {
  return {
    open: backend.open.bind(backend),
    connect: backend.connect.bind(backend),
    exportTar: backend.exportTar.bind(backend),
    openImport: backend.openImport.bind(backend),
    list: backend.list.bind(backend),
    rename: backend.rename.bind(backend),
    setTimeout: backend.setTimeout.bind(backend),
  };
}

test('S-1 a sandbox that names no runtime is a shell, and the folder of this host is not opened for it', async () => {
  const { backend, held } = openWithHost();
  await using sandbox = await Sandbox.create({ backend });
  await sandbox.run('echo kept > file');
  const info = await sandbox.connection.history.fork({ id: await sandbox.history.head() });
  await using fork = await Sandbox.open(info.id, { backend });
  expect((await fork.run('ls')).exitCode).toBe(0);
  expect(held).toEqual({ now: 0, times: 0 });
});

test('S-1 a jail holds the folder until the last is closed, says what it waits for, and is found again', async () => {
  const { backend, held } = openWithHost();
  const told: Progress[] = [];
  const one = await Sandbox.create({
    backend,
    runtime: 'jail',
    name: 'one',
    onProgress: (progress) => told.push(progress),
  });
  expect(told).toContainEqual(expect.objectContaining({ text: 'Unpack', doneBytes: 1, totalBytes: 2 }));
  await one.run('echo kept > file');
  const { id: forked } = await one.connection.history.fork({ id: await one.history.head() });
  const fork = await Sandbox.open(forked, { backend });
  await one.close();
  expect(held).toEqual({ now: 1, times: 1 });
  await fork.close();
  expect(held.now).toBe(0);
  expect((await Sandbox.list({ backend })).map(({ name }) => name)).toContain('one');
  {
    await using again = await Sandbox.open(one.id, { backend });
    expect((await again.run('cat file')).stdout).toBe('kept\n');
  }
  const archive = await Sandbox.exportTar(one.id, { backend });
  expect(held.now).toBe(1);
  await archive[Symbol.asyncDispose]();
  await Sandbox.delete(one.id, { backend });
  expect(held.now).toBe(0);
  await expect(Sandbox.open(one.id, { backend })).rejects.toMatchObject({ code: 'not-found' });
});

test('S-1 shells go on where the folder of this host cannot be read, and another sandbox is not found, with why', async () => {
  const broken = () => Promise.reject(new SandboxError('version-mismatch', 'It has version 9'));
  const backend = nodeBackend(shellBackend(), { open: broken, read: broken });
  await using sandbox = await Sandbox.create({ backend });
  expect((await Sandbox.list({ backend })).map(({ id }) => id)).toEqual([sandbox.id]);
  await using fork = await Sandbox.create({ backend, from: { sandbox: sandbox.id, snapshot: 'HEAD' } });
  expect((await fork.run('true')).exitCode).toBe(0);
  await expect(Sandbox.open('none', { backend })).rejects.toMatchObject({
    code: 'not-found',
    message: expect.stringContaining('It has version 9'),
  });
  const jail = Sandbox.create({ backend, runtime: 'jail' });
  await expect(jail).rejects.toMatchObject({ code: 'version-mismatch' });
});

test('O-2 sandboxes of both are renamed, and one that has no end says so', async () => {
  const { backend, held } = openWithHost();
  await using shell = await Sandbox.create({ backend });
  const jail = await Sandbox.create({ backend, runtime: 'jail' });
  await jail.close();
  for (const { id } of [shell, jail]) await backend.rename?.({ id, name: `called-${id}` });
  const names = (await Sandbox.list({ backend })).map(({ name }) => name);
  expect(names.toSorted()).toEqual([`called-${shell.id}`, `called-${jail.id}`].toSorted());
  await expect(shell.setTimeout(1_000)).rejects.toMatchObject({ code: 'unsupported' });
  expect(held.now).toBe(0);
});

test('S-1 several jails that begin at once share the folder, and one that fails lets go of it', async () => {
  const { backend, held } = openWithHost();
  const made = await Promise.all(
    Array.from({ length: 3 }, () => Sandbox.create({ backend, image: 'debian' })),
  );
  expect(held).toEqual({ now: 1, times: 1 });
  const refused = Sandbox.create({ backend, runtime: 'jail', cwd: 'relative' });
  await expect(refused).rejects.toMatchObject({ code: 'invalid-argument' });
  await Promise.all(made.map((sandbox) => sandbox.close()));
  expect(held.now).toBe(0);
  const unknown = Sandbox.create({ backend, runtime: 'v86' });
  await expect(unknown).rejects.toMatchObject({ code: 'unsupported', details: { feature: 'runtime' } });
});

import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import { openWire } from '../../protocol/wire/client/open-wire.ts';
import { serveWire } from '../../protocol/wire/server/serve-wire.ts';
import { LocalBackend } from '../../sandbox/backend/local-backend.ts';
import type { LoadedImage } from '../../sandbox/backend/runtime-driver.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { reachableObjects } from '../../tree/history/reachable-objects.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import {
  MemoryFilesDriver,
  MemoryHost,
  MemoryImageDriver,
  MemoryImageHost,
} from '../fixtures/memory-host.ts';
import { memoryImage, putFile } from '../fixtures/memory-image.ts';
import { portPairs } from '../fixtures/wire-transports.ts';

let image: LoadedImage;
let files: MemoryFilesDriver;
let host: MemoryHost;
let backend: LocalBackend;
/** `backend` at the other end of a port. */
let remote: SandboxBackend;

async function overWire(served: SandboxBackend): Promise<SandboxBackend> {
  const { client, server } = await portPairs().connect();
  const session = serveWire(server, { backend: served });
  const opened = await openWire(async () => client);
  onTestFinished(async () => {
    await opened.close();
    await session.close();
  });
  return opened;
}

const closing = (sandbox: Sandbox): Sandbox => {
  onTestFinished(() => sandbox.close());
  return sandbox;
};

const names = async (sandbox: Sandbox, at?: SnapshotId): Promise<string[]> =>
  (await sandbox.files.list('/', at === undefined ? {} : { at })).map(({ name }) => name);

async function text(archive: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let all = '';
  for await (const piece of archive) all += decoder.decode(piece, { stream: true });
  return all;
}

const nothingMade = () => expect([host.stores.size, host.infos.size, host.begun.size]).toEqual([0, 0, 0]);

beforeEach(async () => {
  image = await memoryImage();
  files = new MemoryFilesDriver();
  host = new MemoryHost(new MemoryImageDriver(image), files);
  backend = new LocalBackend(host);
  remote = await overWire(backend);
});

describe('H-10 a backend with several runtimes', () => {
  test('runs a sandbox on the first, or on the one that is asked for', async () => {
    const usual = closing(await Sandbox.create({ backend: remote }));
    const shell = closing(await Sandbox.create({ backend: remote, runtime: 'shell' }));
    const named = closing(await Sandbox.create({ backend: remote, runtime: 'jail' }));
    expect([usual, shell, named].map(({ info }) => info.runtime)).toEqual(['jail', 'shell', 'jail']);
    expect([await names(usual), await names(shell)]).toEqual([['system'], []]);
    expect((await remote.list()).map(({ runtime }) => runtime)).toEqual(['jail', 'shell', 'jail']);
  });

  test('refuses one that it lacks, says which it has, and makes nothing', async () => {
    await expect(Sandbox.create({ backend: remote, runtime: 'vm' })).rejects.toMatchObject({
      code: 'unsupported',
      message: 'Cannot create a sandbox with runtime "vm": this backend has "jail", "shell"',
      details: { feature: 'runtime', runtimes: ['jail', 'shell'] },
    });
    nothingMade();
  });

  test('refuses an image for a runtime that begins without one, and makes nothing', async () => {
    const created = Sandbox.create({ backend: remote, runtime: 'shell', image: 'memory' });
    await expect(created).rejects.toMatchObject({ code: 'unsupported', details: { feature: 'image' } });
    nothingMade();
  });

  test('refuses sandboxes inside by the description of the runtime that is asked for', async () => {
    const created = Sandbox.create({ backend: remote, runtime: 'shell', nested: true });
    await expect(created).rejects.toMatchObject({ code: 'unsupported', details: { feature: 'nested' } });
  });

  test('forks a sandbox on the runtime of its parent, whatever the first one is', async () => {
    const parent = closing(await Sandbox.create({ backend: remote, runtime: 'shell' }));
    await parent.files.write('/note', 'of the parent');
    const { id: snapshot } = await parent.createSnapshot();
    const [fork] = await parent.fork();
    if (!(fork instanceof Sandbox)) throw fork ?? new Error('Nothing was forked');
    closing(fork);
    const from = { sandbox: parent.id, snapshot };
    const made = closing(await Sandbox.create({ backend: remote, from, runtime: 'shell' }));
    for (const child of [fork, made]) {
      expect(child.info).toMatchObject({ runtime: 'shell', image: '', imageDigest: '' });
      expect(await child.files.read('/note')).toBe('of the parent');
    }
    await expect(Sandbox.create({ backend: remote, from, runtime: 'jail' })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: 'Cannot create the sandbox with runtime "jail": its snapshot is of "shell"',
      details: { runtime: 'shell' },
    });
    await expect(Sandbox.create({ backend: remote, from, image: 'memory' })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: 'Cannot create the sandbox with image "memory": its snapshot has none',
    });
  });

  test('compares sandboxes of two runtimes', async () => {
    const usual = closing(await Sandbox.create({ backend: remote }));
    const shell = closing(await Sandbox.create({ backend: remote, runtime: 'shell' }));
    await shell.files.write('/note', 'x');
    await shell.createSnapshot();
    const changes = await usual.diff('HEAD', { sandbox: shell.id, snapshot: 'HEAD' });
    expect(changes.map(({ type, path }) => `${type} ${path}`)).toEqual(['created /note', 'deleted /system']);
  });

  test('H-4 lists and exports a sandbox whose runtime it has no more, and says why it does not start', async () => {
    const shell = await Sandbox.create({ backend, runtime: 'shell' });
    await shell.files.write('/note', 'still here');
    await shell.createSnapshot();
    await shell.close();
    const without = new MemoryImageHost(image);
    for (const [id, store] of host.stores) without.stores.set(id, store);
    for (const [id, info] of host.infos) without.infos.set(id, info);
    const rest = new LocalBackend(without);
    expect((await rest.list()).map(({ id, runtime }) => [id, runtime])).toEqual([[shell.id, 'shell']]);
    expect(await text(await Sandbox.exportTar(shell.id, { backend: rest }))).toContain('still here');
    await expect(Sandbox.open(shell.id, { backend: rest })).rejects.toMatchObject({
      code: 'unsupported',
      message: 'Cannot start the sandbox with runtime "shell": this backend has "jail"',
    });
  });
});

describe('a sandbox without an image', () => {
  test('says so where others name theirs, and has a snapshot of what it begins with', async () => {
    files.firstFiles = () => {
      const tree = new LiveTree();
      putFile(tree, 'welcome', new TextEncoder().encode('hello'));
      return tree.snapshot();
    };
    const sandbox = closing(await Sandbox.create({ backend: remote, runtime: 'shell' }));
    expect(sandbox.info).toMatchObject({ name: 'shell', image: '', imageDigest: '' });
    expect(sandbox.info.architecture).toBeUndefined();
    const { head, snapshots } = await sandbox.history.get();
    expect(snapshots).toMatchObject([{ id: head, parents: [], cause: { type: 'image', image: '' } }]);
    expect(await sandbox.files.read('/welcome', { at: head })).toBe('hello');
  });

  test('keeps what it began with when its runtime begins with something else by now', async () => {
    files.firstFiles = () => {
      const tree = new LiveTree();
      putFile(tree, 'old', Uint8Array.of(1));
      return tree.snapshot();
    };
    const sandbox = await Sandbox.create({ backend, runtime: 'shell' });
    await sandbox.close();
    files.firstFiles = () => new LiveTree().snapshot();
    const again = closing(await Sandbox.open(sandbox.id, { backend }));
    expect(await names(again)).toEqual(['old']);
  });

  test('H-5 goes back, is opened again, and leaves nothing unsaved that its first snapshot had', async () => {
    const sandbox = await Sandbox.create({ backend, runtime: 'shell' });
    const begin = await sandbox.history.head();
    await sandbox.files.write('/note', 'x');
    const { id } = await sandbox.createSnapshot();
    await sandbox.checkout(begin);
    expect(await names(sandbox)).toEqual([]);
    await sandbox.history.collectGarbage();
    await sandbox.close();
    const again = closing(await Sandbox.open(sandbox.id, { backend }));
    expect(await again.history.head()).toBe(begin);
    expect([await names(again), await names(again, id)]).toEqual([[], ['note']]);
  });

  test('H-4 has all objects of its snapshots in its own store', async () => {
    const sandbox = closing(await Sandbox.create({ backend, runtime: 'shell' }));
    await sandbox.files.write('/note', 'x');
    const { id } = await sandbox.createSnapshot();
    const store = host.stores.get(sandbox.id);
    if (!store) throw new Error('It has no store');
    const reached = await reachableObjects([id as SnapshotId], { read: (object) => store.readSync(object) });
    expect(reached.broken).toEqual([]);
  });

  test('C-3 is an archive, open or not', async () => {
    const sandbox = await Sandbox.create({ backend, runtime: 'shell' });
    await sandbox.files.write('/note', 'in the archive');
    await sandbox.createSnapshot();
    const open = await text(await sandbox.exportTar());
    await sandbox.close();
    const stored = await Sandbox.exportTar(sandbox.id, { backend });
    expect([open, await text(stored)].map((each) => each.includes('in the archive'))).toEqual([true, true]);
    expect(stored.missing).toEqual([]);
  });

  test('S-5 has no limit that its disk would not hold', async () => {
    files.firstFiles = () => {
      const tree = new LiveTree();
      putFile(tree, 'large', new Uint8Array(40 * 1024 * 1024).fill(7));
      return tree.snapshot();
    };
    const created = Sandbox.create({ backend, runtime: 'shell', diskMiB: 40 });
    await expect(created).rejects.toMatchObject({ code: 'invalid-argument', details: { name: 'diskMiB' } });
    nothingMade();
  });
});

describe('X-1 a snapshot without an image', () => {
  test('begins a sandbox elsewhere under its id, on the first runtime that begins without one', async () => {
    const far = await overWire(
      new LocalBackend(new MemoryHost(new MemoryImageDriver(image), new MemoryFilesDriver())),
    );
    const sandbox = closing(await Sandbox.create({ backend: remote, runtime: 'shell', name: 'mine' }));
    await sandbox.files.write('/note', 'moved');
    const { id } = await sandbox.createSnapshot();
    const copy = closing(await sandbox.copyTo(far, { snapshot: id }));
    expect(copy.info).toMatchObject({ name: 'mine', runtime: 'shell', image: '', imageDigest: '' });
    expect([await copy.history.head(), await copy.files.read('/note')]).toEqual([id, 'moved']);
    const back = await copy.copyInto(sandbox, { snapshot: id });
    expect(back.id).toBe(id);
  });

  test('H-10 is refused by a backend whose runtimes all begin with one, and nothing is made there', async () => {
    const there = new MemoryImageHost(image);
    const far = await overWire(new LocalBackend(there));
    const sandbox = closing(await Sandbox.create({ backend: remote, runtime: 'shell' }));
    await expect(sandbox.copyTo(far)).rejects.toMatchObject({
      code: 'unsupported',
      message: 'Cannot take in a snapshot without an image: this backend has "jail"',
    });
    expect([there.stores.size, there.infos.size, there.begun.size]).toEqual([0, 0, 0]);
  });

  test('H-10 and one of an image are refused by a runtime that begins otherwise', async () => {
    const shell = closing(await Sandbox.create({ backend: remote, runtime: 'shell' }));
    const usual = closing(await Sandbox.create({ backend: remote }));
    for (const [sandbox, runtime] of [
      [shell, 'jail'],
      [usual, 'shell'],
    ] as const) {
      await expect(sandbox.copyTo(remote, { runtime })).rejects.toMatchObject({
        code: 'unsupported',
        details: { feature: 'runtime', runtimes: [runtime] },
      });
    }
  });

  test('is a file, and a sandbox again', async () => {
    const sandbox = closing(await Sandbox.create({ backend: remote, runtime: 'shell', name: 'file' }));
    await sandbox.files.write('/note', 'kept in a file');
    await sandbox.createSnapshot();
    const info = await Sandbox.importSnapshot(sandbox.exportSnapshot(), { backend: remote });
    expect(info).toMatchObject({ name: 'file', runtime: 'shell', imageDigest: '' });
    const again = closing(await Sandbox.open(info.id, { backend: remote }));
    expect(await again.files.read('/note')).toBe('kept in a file');
  });
});

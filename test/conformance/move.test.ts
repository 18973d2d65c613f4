import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { assertRunsInTab } from '../../protocol/architecture.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { SandboxBackend, SnapshotImportOptions } from '../../protocol/sandbox/backend.ts';
import type { SnapshotExport } from '../../protocol/sandbox/transfer.ts';
import { openWire } from '../../protocol/wire/client/open-wire.ts';
import { serveWire } from '../../protocol/wire/server/serve-wire.ts';
import { LocalBackend } from '../../sandbox/backend/local-backend.ts';
import type { LoadedImage } from '../../sandbox/backend/runtime-driver.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { objectKinds } from '../../tree/content/kinds.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { exportSnapshot } from '../../tree/history/export-snapshot.ts';
import type { StreamObject } from '../../tree/history/object-stream.ts';
import { reachableObjects } from '../../tree/history/reachable-objects.ts';
import { decodeSnapshot, encodeSnapshot } from '../../tree/history/snapshot-codec.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import { hashObject } from '../../tree/objects/hash-object.ts';
import { encodeDelta } from '../../tree/objects/object-delta.ts';
import type { StoredObject } from '../../tree/objects/object-store.ts';
import { MemoryImageHost } from '../fixtures/memory-host.ts';
import { memoryImage, putFile, uniqueBytes } from '../fixtures/memory-image.ts';
import { portPairs } from '../fixtures/wire-transports.ts';
import { streamOf } from '../tree/stream-of.ts';

let image: LoadedImage;
let [here, there] = [new MemoryImageHost({} as LoadedImage), new MemoryImageHost({} as LoadedImage)];
let near: SandboxBackend;
let far: SandboxBackend;
let origin: Sandbox;

/** `backend` at the other end of a port. */
async function overWire(backend: SandboxBackend): Promise<SandboxBackend> {
  const { client, server } = await portPairs().connect();
  const session = serveWire(server, { backend });
  const remote = await openWire(async () => client);
  onTestFinished(async () => {
    await remote.close();
    await session.close();
  });
  return remote;
}

/** Writes a file of the origin and takes a snapshot. */
async function save(name: string, bytes: Uint8Array): Promise<SnapshotId> {
  const tree = here.trees.get(origin.id);
  if (!tree) throw new Error('It is not open');
  putFile(tree, name, bytes);
  return (await origin.createSnapshot()).id;
}

async function pieces(snapshotExport: SnapshotExport): Promise<Uint8Array[]> {
  const all: Uint8Array[] = [];
  for (let piece = await snapshotExport.read(); piece; piece = await snapshotExport.read())
    all.push(piece.bytes);
  return all;
}

const importOptions = (): SnapshotImportOptions => ({
  imageDigest: image.digest,
  name: 'copy',
  memoryMiB: 128,
  diskMiB: 64,
});

const nothingThere = () => expect([there.stores.size, there.infos.size, there.begun.size]).toEqual([0, 0, 0]);

beforeEach(async () => {
  image = await memoryImage();
  here = new MemoryImageHost(image);
  there = new MemoryImageHost(image);
  near = new LocalBackend(here);
  far = await overWire(new LocalBackend(there));
  origin = await Sandbox.create({ backend: await overWire(near), diskMiB: 64 });
  onTestFinished(() => origin.close());
});

describe('a snapshot that moves to another backend', () => {
  test('X-1 B-9 it begins a sandbox there under the same id, with the same files and image', async () => {
    const content = uniqueBytes(3_000_000);
    await save('before', uniqueBytes(10));
    const id = await save('large', content);
    const told: number[] = [];
    const load = vi.spyOn(there.driver.images, 'load');
    const copy = await origin.copyTo(far, {
      snapshot: id,
      name: 'twin',
      onProgress: (moved) => told.push(moved),
    });
    expect(await copy.history.head()).toBe(id);
    // It is opened with the image that was loaded to take it in.
    expect(load).toHaveBeenCalledTimes(1);
    expect(copy.info).toMatchObject({ name: 'twin', imageDigest: image.digest, memoryMiB: 128, diskMiB: 64 });
    expect(copy.id).not.toBe(origin.id);
    const read = await copy.files.read('/large', { format: 'bytes' });
    expect(Buffer.compare(read, content)).toBe(0);
    expect((await copy.files.read('/system', { format: 'bytes' })).length).toBe(1_000_000);
    // The image's own megabyte stays where it is.
    const moved = told.at(-1) ?? 0;
    expect([moved > content.length, moved < content.length + 50_000]).toEqual([true, true]);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    await copy.close();
  });

  test('B-9 a byte of a file of the image is a few bytes, since both have the image', async () => {
    await save('note', uniqueBytes(10));
    const tree = here.trees.get(origin.id);
    tree?.write(tree.lookup(tree.root, 'system'), 500_000, Uint8Array.of(7));
    let movedBytes = 0;
    const copy = await origin.copyTo(far, { onProgress: (bytes) => (movedBytes = bytes) });
    const [was, now] = await Promise.all(
      [origin, copy].map((sandbox) => sandbox.files.read('/system', { format: 'bytes' })),
    );
    expect([now?.[500_000], Buffer.compare(was ?? new Uint8Array(0), now ?? new Uint8Array(0))]).toEqual([
      7, 0,
    ]);
    expect(movedBytes).toBeLessThan(600);
    await copy.close();
  });

  test('X-1 it comes back under the same id', async () => {
    const id = await save('note', new TextEncoder().encode('there and back'));
    const copy = await origin.copyTo(far, { snapshot: id });
    const back = await copy.copyTo(near, { snapshot: 'HEAD' });
    expect(await back.history.head()).toBe(id);
    expect(await back.files.read('/note')).toBe('there and back');
    await Promise.all([copy.close(), back.close()]);
  });

  test('X-1 one whose parents are forgotten keeps its id, as a copy and as a fork', async () => {
    const first = await save('note', Uint8Array.of(1));
    const second = await save('note', Uint8Array.of(2));
    await origin.history.deleteSnapshot(first);
    const copy = await origin.copyTo(far, { snapshot: second });
    const [fork] = await origin.fork({ from: second });
    if (!(fork instanceof Sandbox)) throw fork ?? new Error('Nothing was forked');
    expect([await copy.history.head(), await fork.history.head()]).toEqual([second, second]);
    await Promise.all([copy.close(), fork.close()]);
  });

  test('O-7 H-4 a fork whose store cannot be made leaves nothing behind', async () => {
    const id = await save('note', Uint8Array.of(1));
    here.cloneStore = async (fork) => {
      await here.openStore(fork, { create: true });
      throw new SandboxError('storage-full', 'Cannot clone the store: the disk is full');
    };
    const [fork] = await origin.fork({ from: id });
    expect(fork).toMatchObject({ code: 'storage-full' });
    expect([[...here.stores.keys()], [...here.infos.keys()], here.begun.size]).toEqual([
      [origin.id],
      [origin.id],
      0,
    ]);
  });

  test('X-1 without a snapshot it is the files as they are now', async () => {
    const head = await save('note', Uint8Array.of(1));
    const copy = await origin.copyTo(far);
    const copied = await copy.history.head();
    expect(copied).not.toBe(head);
    expect((await origin.history.get()).snapshots.at(-1)).toMatchObject({
      id: copied,
      cause: { type: 'manual', label: 'copy' },
    });
    await copy.close();
  });

  test('SN-10 its pieces are bounded, and those of an altered, cut or longer stream are refused whole', async () => {
    const id = await save('large', uniqueBytes(2_500_000));
    const snapshotExport = await origin.connection.transfer.openExport({ id });
    const whole = await pieces(snapshotExport);
    await snapshotExport.close();
    expect(whole.map(({ length }) => length).slice(0, 2)).toEqual(Array(2).fill(limits.archivePieceBytes));
    const altered = whole.map((piece, at) =>
      at === 1 ? piece.map((byte, i) => (i === 900_000 ? byte ^ 1 : byte)) : piece,
    );
    const streams = [altered, whole.slice(0, -1), [...whole, Uint8Array.of(1)], [], [Uint8Array.of(1, 2, 3)]];
    for (const stream of streams) {
      const snapshotImport = await far.openImport(importOptions());
      const feed = async () => {
        for (const piece of stream) await snapshotImport.write(piece.slice());
        return snapshotImport.finish();
      };
      await expect(feed()).rejects.toMatchObject({ code: 'corrupt-object' });
      await snapshotImport.close();
      nothingThere();
    }
  });

  test('SN-10 an object that neither came nor is in the image is missed', async () => {
    const bytes = uniqueBytes(100);
    const id = await save('small', bytes);
    const store = here.stores.get(origin.id);
    if (!store) throw new Error('It has no store');
    const chunk = hashObject(Uint8Array.of(objectKinds.chunk, ...bytes));
    const exclude = (object: ObjectId) => object === chunk || image.source.has(object);
    const snapshotImport = await far.openImport(importOptions());
    for await (const piece of exportSnapshot(store, id, { exclude })) await snapshotImport.write(piece);
    await expect(snapshotImport.finish()).rejects.toMatchObject({ code: 'missing-object' });
    nothingThere();
  });

  test('SN-12 a delta whose base is not there is missed', async () => {
    const before = await save('small', uniqueBytes(100));
    const id = await save('other', uniqueBytes(100));
    const snapshotExport = await origin.connection.transfer.openExport({ id, have: [before] });
    const [stream = new Uint8Array(0)] = await pieces(snapshotExport);
    const snapshotImport = await far.openImport(importOptions());
    const feed = async () => {
      await snapshotImport.write(stream);
      return snapshotImport.finish();
    };
    await expect(feed()).rejects.toMatchObject({ code: 'missing-object' });
    await snapshotImport.close();
    nothingThere();
  });

  test('H-8 an abort ends both ends and leaves nothing behind; the origin goes on', async () => {
    const id = await save('large', uniqueBytes(5_000_000));
    const abort = new AbortController();
    const copying = origin.copyTo(far, {
      snapshot: id,
      signal: abort.signal,
      onProgress: () => abort.abort('enough'),
    });
    await expect(copying).rejects.toMatchObject({ code: 'aborted', cause: 'enough' });
    nothingThere();
    await expect(origin.copyTo(far, { signal: abort.signal })).rejects.toMatchObject({ code: 'aborted' });
    expect(await origin.history.head()).toBe(id);
  });

  test('H-8 what a lost client was sending leaves nothing behind', async () => {
    const { client, server } = await portPairs().connect();
    const session = serveWire(server, { backend: new LocalBackend(there) });
    const remote = await openWire(async () => client);
    const snapshotImport = await remote.openImport(importOptions());
    await snapshotImport.write(Uint8Array.from(Buffer.from('coppice\u0001')));
    expect(there.stores.size).toBe(1);
    await session.close();
    nothingThere();
    await remote.close();
  });

  test('B-9 a backend that lacks the image, or is busy with others, refuses before anything moves', async () => {
    const unknown = { ...importOptions(), imageDigest: 'e'.repeat(64) };
    await expect(far.openImport(unknown)).rejects.toMatchObject({ code: 'asset-unavailable' });
    const odd = new LocalBackend(there).openImport({ ...importOptions(), imageDigest: '../x' });
    await expect(odd).rejects.toMatchObject({ code: 'invalid-argument' });
    await expect(far.openImport({ ...importOptions(), memoryMiB: 5 })).rejects.toMatchObject({
      code: 'invalid-argument',
    });
    const open = await Promise.all(
      Array.from({ length: limits.openImports }, () => far.openImport(importOptions())),
    );
    await expect(far.openImport(importOptions())).rejects.toMatchObject({ code: 'busy' });
    await Promise.all(open.map((snapshotImport) => snapshotImport.close()));
    nothingThere();
    const snapshotImport = await far.openImport(importOptions());
    await snapshotImport.close();
    await expect(snapshotImport.write(Uint8Array.of(1))).rejects.toBeInstanceOf(SandboxError);
  });

  test('H-10 a tab takes in nothing that is for 64 bits, and what it cannot run can be told from and exported', async () => {
    here.driver.images.assertRuns = there.driver.images.assertRuns = async (architecture) =>
      assertRunsInTab(architecture);
    const wide = { ...importOptions(), imageDigest: 'e'.repeat(64), architecture: 'amd64' } as const;
    await expect(far.openImport(wide)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('run it on a bridge'),
      details: { feature: 'amd64' },
    });
    nothingThere();
    const { id } = await near.create({ diskMiB: 64 }, () => {}).then((sandbox) => sandbox.info.get());
    here.driver.images.assertRuns = async () => assertRunsInTab('amd64');
    await expect(near.open({ id }, () => {})).rejects.toMatchObject({ code: 'unsupported' });
    await expect(near.create({}, () => {})).rejects.toMatchObject({ code: 'unsupported' });
    expect([...here.infos.values()].map(({ architecture }) => architecture)).toEqual(['i386', 'i386']);
    const archive = await near.exportTar({ id });
    expect((await archive.read())?.bytes.length).toBeGreaterThan(0);
    await archive.close();
  });

  test('WP-17 two pieces at once and a piece that is too large are refused, and what is finished stays', async () => {
    const id = await save('note', Uint8Array.of(1));
    const snapshotImport = await new LocalBackend(there).openImport(importOptions());
    await expect(snapshotImport.write(new Uint8Array(limits.archivePieceBytes + 1))).rejects.toMatchObject({
      code: 'limit-exceeded',
    });
    const snapshotExport = await origin.connection.transfer.openExport({ id });
    const [stream = new Uint8Array(0)] = await pieces(snapshotExport);
    const first = snapshotImport.write(stream.slice(0, 9));
    await expect(snapshotImport.write(stream.slice(9))).rejects.toMatchObject({ code: 'busy' });
    await first;
    await snapshotImport.write(stream.slice(9));
    const { id: made } = await snapshotImport.finish();
    await snapshotImport.close();
    await expect(snapshotImport.write(stream)).rejects.toMatchObject({ code: 'invalid-argument' });
    expect([...there.infos.keys()]).toEqual([made]);
    expect([...there.stores.keys()]).toEqual([made]);
  });
});

describe('a fork that shares what its parent has in memory', () => {
  const bytesOf = (sandbox: Sandbox, name: string) => sandbox.files.read(`/${name}`, { format: 'bytes' });
  const treeOf = (sandbox: Sandbox) => {
    const tree = here.trees.get(sandbox.id);
    if (!tree) throw new Error('It is not open');
    return tree;
  };

  test('O-7 H-1 the two go on apart, and apart from the snapshot', async () => {
    const was = uniqueBytes(300_000);
    const id = await save('note', was);
    const [fork] = await origin.fork({ from: id });
    if (!(fork instanceof Sandbox)) throw fork ?? new Error('Nothing was forked');
    for (const [sandbox, byte] of [
      [origin, 1],
      [fork, 2],
    ] as const) {
      const tree = treeOf(sandbox);
      for (const name of ['note', 'system']) {
        tree.write(tree.lookup(tree.root, name), 200_000, Uint8Array.of(byte, byte));
      }
      putFile(tree, `of-${byte}`, uniqueBytes(10));
    }
    for (const [sandbox, byte, other] of [
      [origin, 1, 2],
      [fork, 2, 1],
    ] as const) {
      for (const name of ['note', 'system']) expect((await bytesOf(sandbox, name))[200_001]).toBe(byte);
      await expect(bytesOf(sandbox, `of-${other}`)).rejects.toMatchObject({ code: 'not-found' });
      await sandbox.createSnapshot();
      await sandbox.checkout(id);
      expect(Buffer.compare(await bytesOf(sandbox, 'note'), was)).toBe(0);
    }
    await fork.close();
  });

  test('O-7 it has all its files when its parent is gone, and is as it was when it is opened again', async () => {
    const was = uniqueBytes(300_000);
    const id = await save('note', was);
    const { id: forked } = await origin.connection.history.fork({ id });
    await origin.close();
    await Sandbox.delete(origin.id, { backend: near });
    const trees: ObjectId[] = [];
    for (const _ of ['from memory', 'from its store']) {
      const fork = await Sandbox.open(forked, { backend: near });
      expect(Buffer.compare(await bytesOf(fork, 'note'), was)).toBe(0);
      expect(await bytesOf(fork, 'system')).toHaveLength(1_000_000);
      trees.push((await fork.connection.history.createSnapshot()).tree);
      await fork.close();
    }
    expect(new Set(trees).size).toBe(1);
  });
});

describe('a fork that shares the files of its parent', () => {
  /** What is in the fork's store beside what it began with. */
  let shared: readonly StoredObject[];

  beforeEach(() => {
    shared = [];
    here.cloneStore = async (id, { refs }) => {
      const store = await here.openStore(id, { create: true });
      await store.commit({ objects: shared, refs: [...refs].map(([name, value]) => ({ name, value })) });
      return true;
    };
  });

  test('O-7 has nothing of what its parent was before, whoever knows the ids', async () => {
    const secret = await save('secret', new TextEncoder().encode('of before'));
    const tree = here.trees.get(origin.id);
    tree?.unlink(tree.root, 'secret');
    const head = await save('note', Uint8Array.of(1));
    const stored = (id: ObjectId) => here.stores.get(origin.id)?.readSync(id);
    const { ids } = await reachableObjects([secret, head], { read: stored });
    shared = [...ids].map((id) => ({ id, bytes: stored(id) ?? image.source.read(id) }));
    const [fork] = await origin.fork({ from: head });
    if (!(fork instanceof Sandbox)) throw fork ?? new Error('Nothing was forked');
    onTestFinished(() => fork.close());
    expect(await fork.files.read('/note', { format: 'bytes' })).toEqual(Uint8Array.of(1));
    expect((await fork.history.get()).snapshots.map(({ id }) => id)).toEqual([head]);
    await expect(fork.connection.transfer.openExport({ id: secret })).rejects.toMatchObject({
      code: 'not-found',
    });
    // The snapshot by its name alone, and another one that has its tree.
    const record = stored(secret) ?? new Uint8Array(0);
    const other = encodeSnapshot({ ...decodeSnapshot(record), takenAtMs: 1 });
    const attempts: StreamObject[][] = [
      [],
      [{ type: 'whole', bytes: other.bytes }],
      [{ type: 'delta', base: secret, delta: encodeDelta(record, other.bytes) }],
    ];
    for (const objects of attempts) {
      const snapshotImport = await fork.connection.transfer.openImport();
      await snapshotImport.write(await streamOf(objects.length > 0 ? other.id : secret, objects));
      await expect(snapshotImport.finish()).rejects.toMatchObject({ code: 'missing-object' });
      await snapshotImport.close();
    }
    // What is its own may be named still.
    const snapshotImport = await fork.connection.transfer.openImport();
    await snapshotImport.write(await streamOf(head, []));
    expect((await snapshotImport.finish()).id).toBe(head);
  });
});

describe('a snapshot that is brought back', () => {
  let copy: Sandbox;

  beforeEach(async () => {
    await save('large', uniqueBytes(2_000_000));
    copy = await origin.copyTo(far);
    onTestFinished(() => copy.close());
  });

  /** Writes a file of the copy and takes a snapshot. */
  async function saveThere(name: string, bytes: Uint8Array): Promise<SnapshotId> {
    const tree = there.trees.get(copy.id);
    if (!tree) throw new Error('It is not open');
    putFile(tree, name, bytes);
    return (await copy.createSnapshot()).id;
  }

  test('X-1 B-9 it is beside HEAD, below the one that both have, and only the difference moves', async () => {
    const begin = await copy.history.head();
    const head = await save('mine', uniqueBytes(10));
    const id = await saveThere('small', new TextEncoder().encode('from there'));
    const told: number[] = [];
    const events: string[] = [];
    const stop = await origin.subscribe(({ type }) => events.push(type));
    const added = await copy.copyInto(origin, { snapshot: id, onProgress: (moved) => told.push(moved) });
    stop();
    expect([added.id, added.parents]).toEqual([id, [begin]]);
    expect(told.at(-1)).toBeLessThan(10_000);
    expect(await origin.history.head()).toBe(head);
    expect(events.at(-1)).toBe('history');
    expect(await origin.files.exists('/small')).toBe(false);
    await origin.checkout(id);
    expect(await origin.files.read('/small')).toBe('from there');
    expect((await origin.files.read('/large', { format: 'bytes' })).length).toBe(2_000_000);
    // The snapshot is there: its name is all that moves.
    expect(await copy.copyInto(origin, { snapshot: id, onProgress: (moved) => told.push(moved) })).toEqual(
      added,
    );
    expect(told.at(-1)).toBeLessThan(100);
  });

  test('X-1 without a snapshot in common all of it moves but the image', async () => {
    const begin = await origin.history.get();
    const id = await saveThere('note', uniqueBytes(10));
    const empty = await Sandbox.create({ backend: near, diskMiB: 64 });
    expect((await empty.history.get()).snapshots.map((each) => each.id)).not.toContain(begin.head);
    const { parents } = await copy.copyInto(empty, { snapshot: id });
    expect(parents).toEqual([]);
    expect((await empty.files.list('/', { at: id })).map(({ name }) => name)).toEqual([
      'large',
      'note',
      'system',
    ]);
    await empty.close();
  });

  test('H-8 one at a time; an abort, or closing the sandbox, ends it, and the history stays as it was', async () => {
    const id = await saveThere('large', uniqueBytes(5_000_000));
    const before = await origin.history.get();
    const abort = new AbortController();
    const options = { snapshot: id, signal: abort.signal, onProgress: () => abort.abort() };
    await expect(copy.copyInto(origin, options)).rejects.toMatchObject({ code: 'aborted' });
    const snapshotImport = await origin.connection.transfer.openImport();
    await expect(origin.connection.transfer.openImport()).rejects.toMatchObject({ code: 'busy' });
    await snapshotImport.close();
    expect(await origin.history.get()).toEqual(before);

    const left = await origin.connection.transfer.openImport();
    await origin.close();
    await expect(left.write(Uint8Array.of(1))).rejects.toBeInstanceOf(SandboxError);
  });

  test('H-4 objects that were collected while they came are missed, and nothing is added', async () => {
    // Whatever is before the last piece has been dealt with, and 4 MiB of it are stored.
    const id = await saveThere('large', uniqueBytes(9_000_000));
    const before = await origin.history.get();
    const snapshotExport = await copy.connection.transfer.openExport({ id, have: [before.head] });
    const snapshotImport = await origin.connection.transfer.openImport();
    for (let piece = await snapshotExport.read(); piece; piece = await snapshotExport.read())
      await snapshotImport.write(piece.bytes);
    expect(await origin.history.collectGarbage()).toBeGreaterThan(4_000_000);
    await expect(snapshotImport.finish()).rejects.toMatchObject({ code: 'missing-object' });
    expect(await origin.history.get()).toEqual(before);
    await snapshotImport.close();
  });

  test('X-1 a sandbox of another image is refused before anything moves', async () => {
    const other = await memoryImage();
    const stranger = await Sandbox.create({
      backend: new LocalBackend(new MemoryImageHost(other)),
      diskMiB: 64,
    });
    await expect(copy.copyInto(stranger)).rejects.toMatchObject({ code: 'invalid-argument' });
    await stranger.close();
  });

  test('H-8 what only looks on takes nothing in', async () => {
    const onlooker = await Sandbox.open(origin.id, { backend: near, readOnly: true });
    await expect(copy.copyInto(onlooker)).rejects.toMatchObject({ code: 'read-only' });
    await onlooker.close();
  });
});

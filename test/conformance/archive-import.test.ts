import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import type { SandboxBackend, SnapshotImportOptions } from '../../protocol/sandbox/backend.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import { openWire } from '../../protocol/wire/client/open-wire.ts';
import { serveWire } from '../../protocol/wire/server/serve-wire.ts';
import { LocalBackend } from '../../sandbox/backend/local-backend.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { fileMode } from '../../tree/live/file-mode.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { encodeTarHeader } from '../../tree/tar/encode-tar-header.ts';
import { writeTar } from '../../tree/tar/write-tar.ts';
import { MemoryFilesDriver, MemoryHost, MemoryImageDriver } from '../fixtures/memory-host.ts';
import { memoryImage, putFile, uniqueBytes } from '../fixtures/memory-image.ts';
import { portPairs } from '../fixtures/wire-transports.ts';

const owner = { uid: 0, gid: 0 };
const directory = fileMode.directory | 0o755;
let host: MemoryHost;
let backend: SandboxBackend;

/** The image has the directory `usr/lib`, and the link `lib` to it. */
beforeEach(async () => {
  const image = await memoryImage((tree) => {
    const usr = tree.create(tree.root, 'usr', { mode: directory, ...owner });
    tree.create(usr, 'lib', { mode: directory, ...owner });
    tree.create(tree.root, 'lib', { mode: fileMode.symlink | 0o777, ...owner, target: 'usr/lib' });
  });
  host = new MemoryHost(new MemoryImageDriver(image), new MemoryFilesDriver());
  const { client, server } = await portPairs().connect();
  const session = serveWire(server, { backend: new LocalBackend(host) });
  const remote = await openWire(async () => client);
  onTestFinished(async () => {
    await remote.close();
    await session.close();
  });
  backend = remote;
});

const options: SnapshotImportOptions = { archive: { label: 'from afar' }, name: 'made', diskMiB: 64 };

async function lay(
  pieces: Iterable<Uint8Array>,
  asked: Partial<SnapshotImportOptions> = {},
): Promise<SandboxInfo> {
  const opened = await backend.openImport({ ...options, ...asked });
  try {
    for (const piece of pieces) await opened.write(piece.slice());
    return await opened.finish();
  } finally {
    await opened.close();
  }
}

/** A header of a member, which says of itself what it likes. */
function member(path: string, type: 'file' | 'symlink' | 'directory' | 'blockDevice', linkPath = '') {
  return encodeTarHeader({
    ...{ type, path, linkPath, permissions: 0o644, ...owner, mtimeSeconds: 1, mtimeNanoseconds: 0 },
    ...{ sizeBytes: 0, major: 0, minor: 0, xattrs: new Map() },
  });
}

describe('B-8 a sandbox that begins with an archive', () => {
  test('has its files over those of the image, and both as snapshots', async () => {
    const files = new LiveTree();
    putFile(files, 'system', new TextEncoder().encode('replaced'));
    const lib = files.create(files.root, 'lib', { mode: directory, ...owner });
    const ino = files.create(lib, 'mine', { mode: fileMode.file | 0o4711, uid: 1000, gid: 7 });
    files.write(ino, 0, new TextEncoder().encode('mine'));
    files.link(ino, files.root, 'again');
    files.create(files.root, 'link', { mode: fileMode.symlink | 0o777, ...owner, target: 'usr/lib/mine' });
    const { id } = await lay(writeTar(files));
    await using sandbox = await Sandbox.open(id, { backend });
    expect(sandbox.info).toMatchObject({ name: 'made', image: 'memory', diskMiB: 64 });
    expect(await sandbox.files.read('/system')).toBe('replaced');
    expect(await sandbox.files.read('/link')).toBe('mine');
    // The link of the image stays, and what was below it is where it leads to.
    expect(await sandbox.files.stat('/usr/lib/mine')).toMatchObject({ mode: 0o4711, uid: 1000, gid: 7 });
    expect((await sandbox.files.list('/')).find(({ name }) => name === 'lib')).toMatchObject({
      type: 'symlink',
    });
    const [first, made] = (await sandbox.history.get()).snapshots;
    expect([first?.cause, made?.cause]).toEqual([
      { type: 'image', image: 'memory' },
      { type: 'manual', label: 'from afar' },
    ]);
    expect(made).toMatchObject({ parents: [first?.id], changes: { created: 2, modified: 1, deleted: 0 } });
    await sandbox.checkout(first?.id ?? '');
    expect((await sandbox.files.read('/system', { format: 'bytes' })).length).toBe(1_000_000);
  });

  test('begins with that of its runtime where it has no image', async () => {
    const files = new LiveTree();
    putFile(files, 'mine', Uint8Array.of(65));
    const { id, image } = await lay(writeTar(files), { runtime: 'shell' });
    await using sandbox = await Sandbox.open(id, { backend });
    expect([image, await sandbox.files.read('/mine')]).toEqual(['', 'A']);
  });

  test('keeps a file that is larger than what is in memory of it', async () => {
    const content = uniqueBytes(5 * limits.layUnsavedBytes + 7);
    const files = new LiveTree();
    putFile(files, 'large', content);
    const { id } = await lay(writeTar(files));
    await using sandbox = await Sandbox.open(id, { backend });
    expect(Buffer.compare(await sandbox.files.read('/large', { format: 'bytes' }), content)).toBe(0);
  });

  test('H-9 leaves nothing behind of one that is refused, given up or has no room', async () => {
    const invalid = { code: 'invalid-argument' };
    await expect(lay([member('../out', 'file')])).rejects.toMatchObject(invalid);
    await expect(lay([member('usr', 'file')])).rejects.toMatchObject(invalid);
    await expect(lay([member('system/below', 'file')])).rejects.toMatchObject(invalid);
    await expect(lay([new Uint8Array(700).fill(7)])).rejects.toMatchObject(invalid);
    await expect(lay([member('whole', 'file').subarray(0, 300)])).rejects.toMatchObject(invalid);
    await expect(lay([], { imageDigest: 'a'.repeat(64) })).rejects.toMatchObject(invalid);
    const image = { archive: { label: 'x', image: 'none' }, runtime: 'shell' } as const;
    await expect(lay([], image)).rejects.toMatchObject({ code: 'unsupported' });
    const files = new LiveTree();
    putFile(files, 'large', new Uint8Array(70 * 1_048_576).fill(1));
    await expect(lay(writeTar(files))).rejects.toMatchObject({ code: 'storage-full' });
    const given = await backend.openImport(options);
    await given.write(member('mine', 'file'));
    await given.close();
    expect([host.stores.size, host.infos.size, host.begun.size]).toEqual([0, 0, 0]);
  });

  test('H-9 follows no link out of its tree, and takes no device', async () => {
    const pieces = [
      member('up', 'symlink', '../../../..'),
      member('up/escaped', 'file'),
      member('disk', 'blockDevice'),
    ];
    const { id } = await lay(pieces);
    await using sandbox = await Sandbox.open(id, { backend });
    const names = (await sandbox.files.list('/')).map(({ name }) => name);
    expect(names.toSorted()).toEqual(['escaped', 'lib', 'system', 'up', 'usr']);
  });
});

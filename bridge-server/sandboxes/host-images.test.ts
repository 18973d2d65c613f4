import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import { ImageSource } from '../../protocol/image-source.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { loadTree } from '../../tree/objects/load-tree.ts';
import { encodePack } from '../../tree/objects/pack.ts';
import { sealTree } from '../../tree/objects/seal-tree.ts';
import { HostImages } from './host-images.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coppice-images-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

async function placeAsset(content: Uint8Array) {
  const digest = createHash('sha256').update(content).digest('hex');
  const stored = gzipSync(content);
  await writeFile(join(folder, `${digest}.gz`), stored);
  return { digest, sizeBytes: content.length, storedBytes: stored.length };
}

/** An image of two directories with a file each. */
async function placeSmallImage(): Promise<void> {
  const tree = new LiveTree({ clock: () => ({ seconds: 1, nanoseconds: 0 }) });
  for (const name of ['a', 'b']) {
    const directory = tree.create(tree.root, name, { mode: 0o040755, uid: 0, gid: 0 });
    tree.create(directory, 'file', { mode: 0o100644, uid: 0, gid: 0 });
  }
  const sealed = sealTree(tree.snapshot());
  const metadata = await placeAsset(encodePack([...sealed.objects].map(({ bytes }) => bytes)));
  const manifest = {
    ...{ format: 2, architecture: 'amd64', name: 'small', tree: sealed.id, memoryMiB: 64, hostname: 'small' },
    ...{ metadata, chunkIndex: await placeAsset(new Uint8Array()), chunkPacks: [], offLock: [] },
  };
  await writeFile(join(folder, 'small.json'), JSON.stringify(manifest));
}

/** What a process reads of the image's objects to load its tree. */
async function readsOfOneProcess(): Promise<number> {
  const images = new HostImages(folder);
  const { source, manifest } = await images.load({ name: 'small' });
  const read = vi.spyOn(source, 'read');
  const { snapshot } = loadTree(source, manifest.tree, { known: source.directories });
  expect(snapshot.usedInodes).toBe(5);
  const reads = read.mock.calls.length;
  await images.keepKnown();
  return reads;
}

test('an image that was loaded once is read only as far as a sandbox uses it, by later processes too', async () => {
  await placeSmallImage();
  const first = await readsOfOneProcess();
  const [kept = ''] = (await readdir(folder)).filter((name) => name.endsWith('.known'));
  const open = vi.spyOn(ImageSource, 'open');
  expect(await readsOfOneProcess()).toBeLessThan(first);
  expect(open.mock.calls[0]?.[2]).toMatchObject({ ids: expect.any(Array) });
  for (const damaged of ['', '{"version":1,"ids":["x"],"directories":[]}', '{"version":0}', 'null']) {
    await writeFile(join(folder, kept), damaged);
    expect(await readsOfOneProcess(), damaged).toBe(first);
  }
});

test('an image that is not there is asked for by its name, again after it could not be made, and never by a digest', async () => {
  const asked: string[] = [];
  const provide = async (name: string) => {
    asked.push(name);
    throw new SandboxError('asset-unavailable', 'The archive does not answer');
  };
  const images = new HostImages(folder, { provide });
  await expect(images.load({ name: 'one' })).rejects.toThrow('does not answer');
  expect(asked).toEqual(['one']);
  await expect(images.load({ name: 'one' })).rejects.toThrow('does not answer');
  expect(asked).toEqual(['one', 'one']);
  await expect(images.load({ digest: 'f'.repeat(64) })).rejects.toMatchObject({
    code: 'asset-unavailable',
  });
  expect(asked).toHaveLength(2);
});

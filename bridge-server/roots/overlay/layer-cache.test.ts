import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LayerCache } from './layer-cache.ts';

async function openCache(): Promise<LayerCache> {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-layers-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return LayerCache.open(folder, { isWanted: () => false });
}

/** A layer of many files, so that its removal takes a while. */
async function make(folder: string): Promise<void> {
  await mkdir(folder);
  for (let number = 0; number < 200; number++) await writeFile(join(folder, `file-${number}`), 'whole');
}

test('H-4 a layer that is taken again while it is removed is made anew, and stays while it is used', async () => {
  const cache = await openCache();
  const options = { isDurable: false, make, signal: undefined };
  for (let round = 0; round < 5; round++) {
    (await cache.take('layer', options)).release();
    const again = await cache.take('layer', options);
    await cache.removeUnwanted();
    expect(await readdir(again.path)).toHaveLength(200);
    expect(await readFile(join(again.path, 'file-199'), 'utf8')).toBe('whole');
    again.release();
  }
  await cache.removeUnwanted();
});

test('H-4 what is not durable stays for later processes until the host starts again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-layers-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const passing = { isDurable: false, make, signal: undefined };
  const first = await LayerCache.open(folder, { bootId: 'one' });
  (await first.take('base-tree', passing)).release();
  await first.close();
  const again = await LayerCache.open(folder, { bootId: 'one' });
  expect(again.names).toEqual(['base-tree']);
  const failing = () => Promise.reject(new Error('It was made again'));
  const layer = await again.take('base-tree', { ...passing, make: failing });
  expect(await readdir(layer.path)).toHaveLength(200);
  layer.release();
  await again.close();
  for (const bootId of ['two', undefined]) {
    const later = await LayerCache.open(folder, { bootId });
    expect(later.names).toEqual([]);
    (await later.take('base-tree', passing)).release();
    await later.close();
  }
  expect((await LayerCache.open(folder, {})).names).toEqual([]);
});

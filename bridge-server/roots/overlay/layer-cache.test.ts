import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
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

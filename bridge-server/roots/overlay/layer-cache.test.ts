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

test('B-5 a layer that is made ahead ends when it is given up, unless somebody waits for it by then', async () => {
  const cache = await openCache();
  const takeAhead = () => {
    const giveUp = new AbortController();
    const going = Promise.withResolvers<string>();
    const done = Promise.withResolvers<void>();
    const taken = cache.take('layer', {
      isDurable: false,
      isAhead: true,
      signal: giveUp.signal,
      make: async (folder, { signal }) => {
        await mkdir(folder);
        going.resolve(folder);
        signal.addEventListener('abort', () => done.reject(signal.reason));
        await done.promise;
      },
    });
    return { giveUp, done, taken, going: going.promise };
  };
  const first = takeAhead();
  const folder = await first.going;
  first.giveUp.abort();
  await expect(first.taken).rejects.toMatchObject({ code: 'aborted' });
  const anew = await cache.take('layer', { isDurable: false, make, signal: undefined });
  expect(await readdir(anew.path)).toHaveLength(200);
  await expect(readdir(folder)).rejects.toMatchObject({ code: 'ENOENT' });
  anew.release();
  await cache.removeUnwanted();

  const second = takeAhead();
  await second.going;
  const joined = cache.take('layer', { isDurable: false, make, signal: undefined });
  second.giveUp.abort();
  await expect(second.taken).rejects.toMatchObject({ code: 'aborted' });
  second.done.resolve();
  const layer = await joined;
  expect(await readdir(layer.path)).toEqual([]);
  layer.release();
  await cache.removeUnwanted();

  // Its sandbox is closed meanwhile.
  const third = takeAhead();
  await third.going;
  const own = cache.take('layer', { isDurable: false, make, signal: undefined });
  third.done.reject(new Error('The store is closed'));
  await expect(third.taken).rejects.toThrow('closed');
  expect(await readdir((await own).path)).toHaveLength(200);
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openPackageCache } from './package-cache.ts';

/** A browser's cache in memory, by address. */
function memoryCaches(): { readonly storage: CacheStorage; readonly urls: () => string[] } {
  const answers = new Map<string, Response>();
  const cache = {
    match: async (url: string) => answers.get(url)?.clone(),
    put: async (url: string, answer: Response) => void answers.set(url, answer),
    delete: async (url: string) => answers.delete(url),
    keys: async () => [...answers.keys()].map((url) => ({ url })),
  };
  const storage = { open: async () => cache } as unknown as CacheStorage;
  return { storage, urls: () => [...answers.keys()].filter((url) => url.includes('registry')) };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

test('C-7 packages that were not used for longest leave the cache when it is full', async () => {
  const { storage, urls } = memoryCaches();
  const url = (name: string) => `https://registry.example/${name}`;
  const bounds = { mostBytes: 25, mostEntries: 10 };
  const first = await openPackageCache(storage, bounds);
  for (const name of ['a', 'b']) {
    await first?.put(url(name), new Uint8Array(10));
    vi.advanceTimersByTime(1_000);
  }
  await first?.trim();
  const second = await openPackageCache(storage, bounds);
  expect(await second?.get(url('a'))).toEqual(new Uint8Array(10));
  vi.advanceTimersByTime(1_000);
  await second?.put(url('c'), new Uint8Array(10));
  await second?.put(url('huge'), new Uint8Array(26));
  await second?.trim();
  expect(urls()).toEqual([url('a'), url('c')]);
  expect(await second?.get(url('b'))).toBeUndefined();
});

test('C-7 a browser without a cache, or with one that fails, has none', async () => {
  expect(await openPackageCache(undefined)).toBeUndefined();
  const failing = { open: () => Promise.reject(new Error('denied')) } as unknown as CacheStorage;
  expect(await openPackageCache(failing)).toBeUndefined();
});

import { afterEach, expect, test, vi } from 'vitest';
import { limits } from '../../../protocol/limits.ts';
import { readStartCache } from './start-cache.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A browser whose private file system answers so. */
function stubStorage(getDirectory: () => Promise<unknown>): void {
  vi.stubGlobal('navigator', { storage: { getDirectory } });
}

test.each([
  { what: 'is refused', getDirectory: () => Promise.reject(new DOMException('', 'SecurityError')) },
  {
    what: 'keeps nothing yet',
    getDirectory: async () => ({
      getFileHandle: () => Promise.reject(new DOMException('', 'NotFoundError')),
    }),
  },
  {
    what: 'cannot be read',
    getDirectory: async () => ({
      getFileHandle: async () => ({
        createSyncAccessHandle: async () => ({
          read: () => {
            throw new DOMException('', 'NotReadableError');
          },
          close: () => undefined,
        }),
      }),
    }),
  },
])('nothing is kept where the storage $what', async ({ getDirectory }) => {
  stubStorage(getDirectory);
  expect(await readStartCache()).toBeUndefined();
});

test('a storage that never answers is not waited for', async () => {
  vi.useFakeTimers();
  stubStorage(() => new Promise(() => undefined));
  const kept = readStartCache();
  await vi.advanceTimersByTimeAsync(limits.keptStartTimeoutMs);
  expect(await kept).toBeUndefined();
});

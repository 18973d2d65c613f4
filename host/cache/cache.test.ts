import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CacheFolder, cachePath } from './cache-folder.ts';
import { withCacheLock } from './cache-lock.ts';

let cache: CacheFolder;
beforeEach(async () => {
  cache = new CacheFolder(await mkdtemp(join(tmpdir(), 'coppice-cache-')));
});
afterEach(() => rm(cache.path, { recursive: true }));

describe('the cache (O-11)', () => {
  test('lies where it is told, else where the user keeps caches', () => {
    expect(cachePath({ COPPICE_CACHE: '/a', XDG_CACHE_HOME: '/b' })).toBe('/a');
    expect(cachePath({ XDG_CACHE_HOME: '/b' })).toBe('/b/coppice');
    expect(cachePath({})).toMatch(/\/\.cache\/coppice$/);
  });

  test('a thing whose maker fails never appears, and nothing of it is left', async () => {
    const failing = cache.publishFolder('kernels/x', async (path) => {
      await writeFile(join(path, 'bzImage'), 'half');
      throw new Error('no space');
    });
    await expect(failing).rejects.toThrow('no space');
    expect(await cache.has('kernels/x')).toBe(false);
    expect(await readdir(cache.join('tmp'))).toEqual([]);
  });

  test('of two makers of one folder, the first stays', async () => {
    const make = (text: string) => cache.publishFolder('x', (path) => writeFile(join(path, 'file'), text));
    await make('first');
    await make('second');
    expect(await readFile(cache.join('x', 'file'), 'utf8')).toBe('first');
  });

  test('a thing that is dropped can be made anew; dropping what is gone is no fault', async () => {
    const make = (text: string) => cache.publishFolder('x', (path) => writeFile(join(path, 'file'), text));
    await make('damaged');
    await cache.drop('x');
    await cache.drop('x');
    expect([await cache.has('x'), await readdir(cache.join('tmp'))]).toEqual([false, []]);
    await make('whole');
    expect(await readFile(cache.join('x', 'file'), 'utf8')).toBe('whole');
  });

  test('its paths are absolute, as tools run in folders of their own', () => {
    expect(new CacheFolder('here').join('x')).toBe(resolve('here/x'));
  });

  test('sweep removes what a dead builder left hours ago, not what is being built', async () => {
    const hoursAgo = new Date(Date.now() - 3 * 60 * 60 * 1000);
    for (const name of ['old', 'new']) await mkdir(cache.join('tmp', name), { recursive: true });
    await utimes(cache.join('tmp', 'old'), hoursAgo, hoursAgo);
    await cache.sweep();
    expect(await readdir(cache.join('tmp'))).toEqual(['new']);
  });

  test('one works at a time, the other waits and is told for whom', async () => {
    const path = cache.join('lock');
    const events: string[] = [];
    const entered = Promise.withResolvers<void>();
    const waiting = Promise.withResolvers<void>();
    const first = withCacheLock(path, async () => {
      entered.resolve();
      await waiting.promise;
      events.push('first');
    });
    await entered.promise;
    const onWait = (holder: string) => {
      events.push(holder.startsWith(`${process.pid}@`) ? 'told' : holder);
      waiting.resolve();
    };
    await Promise.all([first, withCacheLock(path, async () => void events.push('second'), { onWait })]);
    expect(events).toEqual(['told', 'first', 'second']);
  });

  test('a lock whose holder died is taken over', async () => {
    const minuteAgo = new Date(Date.now() - 60_000);
    await writeFile(cache.join('lock'), '1@elsewhere\n');
    await utimes(cache.join('lock'), minuteAgo, minuteAgo);
    expect(await withCacheLock(cache.join('lock'), async () => 'done')).toBe('done');
    expect(await readdir(cache.path)).toEqual([]);
  });

  test('who gives up waiting waits no longer (H-8)', async () => {
    await withCacheLock(cache.join('lock'), async () => {
      const second = withCacheLock(cache.join('lock'), async () => 'never', {
        signal: AbortSignal.timeout(10),
      });
      await expect(second).rejects.toThrow();
    });
  });
});

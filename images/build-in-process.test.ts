import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CacheFolder } from '../host/cache/cache-folder.ts';
import type { Progress } from '../host/progress.ts';
import { buildInProcess } from './build-in-process.ts';

let cache: CacheFolder;
beforeEach(async () => {
  cache = new CacheFolder(await mkdtemp(join(tmpdir(), 'coppice-build-')));
});
afterEach(() => rm(cache.path, { recursive: true, force: true }));

function listening(onNote: (text: string) => void): Progress {
  return {
    note: onNote,
    warn: () => undefined,
    step: (_label, work) => work({ bytes: () => undefined, detail: () => undefined }),
  };
}

test('O-11 what fails in the process that makes an image has the same code and words here', async () => {
  const building = buildInProcess('no-such', { cache, golden: false, progress: listening(() => undefined) });
  await expect(building).rejects.toMatchObject({
    code: 'not-found',
    message: expect.stringContaining('no-such'),
  });
});

test('O-11 a build says what it waits for, and an interrupt ends its process', async () => {
  await mkdir(cache.join('builds'));
  await writeFile(cache.join('builds', 'debian.lock'), `${process.pid}@${hostname()}\n`);
  const interrupt = new AbortController();
  const notes: string[] = [];
  const progress = listening((text) => {
    notes.push(text);
    interrupt.abort();
  });
  const building = buildInProcess('debian', { cache, golden: false, progress, signal: interrupt.signal });
  await expect(building).rejects.toMatchObject({ code: 'aborted' });
  expect(notes).toEqual([`  waits for ${process.pid}@${hostname()} to build debian`]);
});

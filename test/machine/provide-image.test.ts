import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { CacheFolder, cachePath } from '../../host/cache/cache-folder.ts';
import { createProgress } from '../../host/progress.ts';
import { inRepository } from '../../host/repository.ts';
import { provideImage } from '../../images/provide-image.ts';

/** Provides an image in a process of its own, and prints its tree and whether that process has loaded the builder and v86. */
const program = `
  import { registerHooks } from 'node:module';
  const loaded = { builder: false, v86: false };
  registerHooks({
    load(url, context, next) {
      loaded.builder ||= url.endsWith('/images/build-image.ts');
      loaded.v86 ||= url.includes('v86.mjs');
      return next(url, context);
    },
  });
  const { provideImage } = await import('./images/provide-image.ts');
  const { CacheFolder, cachePath } = await import('./host/cache/cache-folder.ts');
  const { createProgress } = await import('./host/progress.ts');
  const options = { cache: new CacheFolder(cachePath()), progress: createProgress(), golden: true };
  const { manifest } = await provideImage('debian', options);
  console.log(JSON.stringify({ ...loaded, tree: manifest.tree }));
`;

test('O-11 an image that was made is found without the builder in the process that asks', async () => {
  const cache = new CacheFolder(cachePath());
  const { manifest } = await provideImage('debian', { cache, progress: createProgress(), golden: true });
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    cwd: inRepository(),
  });
  // One that differs from its lock is made anew, and another process makes it.
  expect(JSON.parse(stdout)).toEqual({ builder: false, v86: false, tree: manifest.tree });
});

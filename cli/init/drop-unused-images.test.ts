import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProgress } from '../../host/progress.ts';
import { assetFileName, parseImageManifest } from '../../protocol/image-manifest.ts';
import { shellBackend } from '../../runtimes/shell/shell-backend.ts';
import { dropUnusedImages, importRoot } from './import-root.ts';

async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-images-'));
  const images = join(folder, 'images');
  await mkdir(join(folder, 'source/etc'), { recursive: true });
  await writeFile(join(folder, 'source/etc/name'), 'source\n');
  return {
    images,
    place: {
      type: 'folder',
      backend: shellBackend(),
      name: folder,
      [Symbol.asyncDispose]: async () => {},
    } as const,
    importAs: (sandbox: string) =>
      importRoot(
        { type: 'folder', path: join(folder, 'source'), exclude: [], without: [], crossesMounts: false },
        {
          folder,
          sandbox,
          architecture: 'amd64',
          progress: createProgress({ write: () => undefined }),
          signal: new AbortController().signal,
        },
      ),
    /** Under its digest, as it would be placed. Resolves to the file's name. */
    placeManifest: async (manifest: string) => {
      const file = `${createHash('sha256').update(manifest).digest('hex')}.json`;
      await writeFile(join(images, file), manifest);
      return file;
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

test('R-10 gc deletes images of files that no sandbox has, and no others', async () => {
  await using opened = await openFolder();
  await opened.importAs('tried');
  await writeFile(join(opened.images, 'kept.gz'), '');
  expect(await dropUnusedImages(opened.place)).toEqual(['of-tried']);
  expect(await readdir(opened.images)).toEqual(['kept.gz']);
  expect(await dropUnusedImages(opened.place)).toEqual([]);
});

test('R-10 gc leaves an image of a newer version alone, and what it has in common with one that is deleted', async () => {
  await using opened = await openFolder();
  await opened.importAs('tried');
  const { metadata } = parseImageManifest(await readFile(join(opened.images, 'of-tried.json'), 'utf8'));
  const newer = await opened.placeManifest(JSON.stringify({ format: 'of tomorrow', files: metadata.digest }));
  expect(await dropUnusedImages(opened.place)).toEqual(['of-tried']);
  const left = await readdir(opened.images);
  expect(left).toEqual(expect.arrayContaining([newer, assetFileName(metadata)]));
  expect(left.filter((file) => file.endsWith('.json'))).toEqual([newer]);
});

test('R-10 gc leaves an image alone that the operator has placed, whatever it is called', async () => {
  await using opened = await openFolder();
  await opened.importAs('tried');
  const text = await readFile(join(opened.images, 'of-tried.json'), 'utf8');
  const mine = await opened.placeManifest(text.replace('of-tried', 'of-mine'));
  expect(await dropUnusedImages(opened.place)).toEqual(['of-tried']);
  expect(await readdir(opened.images)).toContain(mine);
});

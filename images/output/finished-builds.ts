import { readFile } from 'node:fs/promises';
import type { CacheFolder } from '../../host/cache/cache-folder.ts';
import { assetPath, type BuiltImage, servedFolder } from '../../host/images/built-image.ts';
import { manifestAssets } from '../../host/images/manifest-assets.ts';
import { parseImageManifest } from '../../protocol/image-manifest.ts';

/** The manifest's text of a build that was noted under `key`, if all its assets are still there. */
export async function findBuild(key: string, cache: CacheFolder): Promise<string | undefined> {
  const text = await readFile(cache.join(notePath(key)), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const assets = manifestAssets(parseImageManifest(text));
  const present = await Promise.all(assets.map((asset) => cache.has(assetPath(asset))));
  return present.every(Boolean) ? text : undefined;
}

/** Has `findBuild` find a build by `key`, a digest of what it was made of. */
export async function noteBuild(key: string, text: string, cache: CacheFolder): Promise<void> {
  await cache.publishFile(notePath(key), text);
}

/** Makes a build the one that is served under its profile's name. */
export async function serveBuild(name: string, text: string, cache: CacheFolder): Promise<BuiltImage> {
  await cache.publishFile(`${servedFolder}/${name}.json`, text);
  return { manifest: parseImageManifest(text), text, folder: cache.join(servedFolder) };
}

function notePath(key: string): string {
  return `builds/${key}.json`;
}

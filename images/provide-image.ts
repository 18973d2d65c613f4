import { readFile } from 'node:fs/promises';
import type { CacheFolder } from '../host/cache/cache-folder.ts';
import { digestParts } from '../host/cache/digest.ts';
import { type BuiltImage, servedFolder } from '../host/images/built-image.ts';
import { SandboxError } from '../protocol/errors.ts';
import { imageNamePattern, parseImageManifest } from '../protocol/image-manifest.ts';
import type { BuildOptions } from './build-image.ts';
import { buildInProcess } from './build-in-process.ts';
import { builderDigest } from './builder-digest.ts';
import { findBuild, noteBuild, serveBuild } from './output/finished-builds.ts';
import { listProfiles, readProfile } from './profiles/profile.ts';

/**
 * The image of a profile, built where it is not, or the one that was imported under this name. The builder, and v86
 * with it, runs in a process of its own, and only for an image that this version of it has not made yet.
 * @throws not-found where there is neither, and as `buildInProcess`
 */
export async function provideImage(name: string, options: BuildOptions): Promise<BuiltImage> {
  const { cache, golden } = options;
  const imported = await readImported(name, cache);
  if (imported) return imported;
  const key = digestParts(['provided', name, String(golden), await builderDigest()]);
  const found = await findBuild(key, cache);
  if (found !== undefined) return serveBuild(name, found, cache);
  options.progress.note(`Make the image ${name} of Debian's packages: once, it is kept for later`);
  const { text, isOffLock } = await buildInProcess(name, options);
  // One that differs from its lock is asked for again each time: the archive may have the right packages then.
  if (!isOffLock) await noteBuild(key, text, cache);
  return serveBuild(name, text, cache);
}

/** Whether `provideImage` knows the name, before anything is built. @throws not-found, invalid-argument */
export async function assertKnown(name: string, cache: CacheFolder): Promise<void> {
  if ((await readImported(name, cache)) === undefined) await readProfile(name);
}

async function readImported(name: string, cache: CacheFolder): Promise<BuiltImage | undefined> {
  const profiles = await listProfiles();
  if (profiles.includes(name)) return undefined;
  const folder = cache.join(servedFolder);
  try {
    if (!imageNamePattern.test(name)) throw new RangeError('that is not the name of an image');
    const text = await readFile(`${folder}/${name}.json`, 'utf8');
    return { manifest: parseImageManifest(text), text, folder };
  } catch (cause) {
    const known = `there are ${profiles.join(', ')}, and what \`npm run images -- import\` makes`;
    throw new SandboxError('not-found', `There is no image ${JSON.stringify(name.slice(0, 80))}; ${known}`, {
      cause,
    });
  }
}

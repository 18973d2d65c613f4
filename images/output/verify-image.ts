import type { CacheFolder } from '../../host/cache/cache-folder.ts';
import { digestBytes } from '../../host/cache/digest.ts';
import { servedFolder } from '../../host/images/built-image.ts';
import { FileAssets } from '../../host/images/file-assets.ts';
import { manifestAssets } from '../../host/images/manifest-assets.ts';
import type { StepReport } from '../../host/progress.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { ImageSource } from '../../protocol/image-source.ts';
import { objectKinds } from '../../tree/content/kinds.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { treeReferences } from '../../tree/objects/references.ts';

/**
 * Reads a built image as a visitor would, all of it: every asset has its digest, and every object
 * that can be reached from the root is there and hashes to its id.
 * @throws corrupt-object, missing-object, asset-unavailable
 */
export async function verifyImage(
  profile: string,
  options: { cache: CacheFolder; report: StepReport },
): Promise<void> {
  const assets = new FileAssets(options.cache.join(servedFolder));
  const manifest = await assets.manifest(profile);
  const all = manifestAssets(manifest);
  const totalBytes = all.reduce((sum, asset) => sum + asset.storedBytes, 0);
  let doneBytes = 0;
  for (const asset of all) {
    if (digestBytes(new Uint8Array(await assets.content(asset))) !== asset.digest) {
      throw new SandboxError('corrupt-object', `Image asset ${asset.digest} does not have its digest`);
    }
    doneBytes += asset.storedBytes;
    options.report.bytes(doneBytes, totalBytes);
  }
  options.report.detail('objects');
  const source = await ImageSource.open(manifest, assets);
  const seen = new Set<ObjectId>([manifest.tree]);
  for (const id of seen) {
    const object = source.read(id);
    if (object[0] !== objectKinds.chunk) for (const next of treeReferences(object)) seen.add(next);
  }
}

import type { ImageAsset } from '../../../protocol/image-manifest.ts';
import { type AssetFetcher, ImageSource } from '../../../protocol/image-source.ts';
import type { ImageDownload } from './image-download.ts';

/** The objects of an image for an archive. @throws asset-unavailable, corrupt-object, version-mismatch */
export async function openImageToExport(download: ImageDownload): Promise<ImageSource> {
  const { manifest, ids } = await download.found;
  return ImageSource.open(manifest, askingOnce(download), { ids });
}

/** Thousands of files may be in the same pack: one that does not come is not asked for again. */
function askingOnce(assets: AssetFetcher): AssetFetcher {
  const failures = new Map<string, unknown>();
  return {
    content: (asset, options) => assets.content(asset, options),
    contentSync(asset: ImageAsset) {
      if (failures.has(asset.digest)) throw failures.get(asset.digest);
      try {
        return assets.contentSync(asset);
      } catch (error) {
        failures.set(asset.digest, error);
        throw error;
      }
    },
  };
}

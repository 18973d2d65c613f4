import { assetFileName, type ImageAsset, type ImageManifest } from '../../protocol/image-manifest.ts';

/** The folder of the cache that a web server serves: manifests by profile, assets by digest. */
export const servedFolder = 'images';

/** An image whose manifest and assets are all there. */
export interface BuiltImage {
  readonly manifest: ImageManifest;
  /** The manifest as it is served, to the byte: its digest is the image's name. */
  readonly text: string;
  /** The folder to serve: `<profile>.json` and the assets by digest. */
  readonly folder: string;
}

/** Where an asset lies within the cache. */
export function assetPath(asset: Pick<ImageAsset, 'digest'>): string {
  return `${servedFolder}/${assetFileName(asset)}`;
}

import { type ImageAsset, type ImageManifest, imageFormats } from '../../protocol/image-manifest.ts';

/** Every file that a manifest names. */
export function manifestAssets(manifest: ImageManifest): ImageAsset[] {
  const { metadata, chunkIndex, chunkPacks } = manifest;
  const files = [metadata, chunkIndex, ...chunkPacks];
  if (manifest.format === imageFormats.files) return files;
  const { kernel, initramfs, bios, vgaBios, golden } = manifest;
  const all = [kernel, initramfs, bios, vgaBios, ...files];
  return golden ? [...all, golden, golden.session] : all;
}

import type { ImageAsset, ImageManifest } from '../../protocol/image-manifest.ts';

/** Every file that a manifest names. */
export function manifestAssets(manifest: ImageManifest): ImageAsset[] {
  const { kernel, initramfs, bios, vgaBios, metadata, chunkIndex, chunkPacks, golden } = manifest;
  const all = [kernel, initramfs, bios, vgaBios, metadata, chunkIndex, ...chunkPacks];
  return golden ? [...all, golden, golden.session] : all;
}

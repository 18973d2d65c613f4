import type { ImageAsset, ImageManifest } from '../../protocol/image-manifest.ts';
import type { AssetFetcher } from '../../protocol/image-source.ts';
import { type BytesListener, HttpAssets } from './http-assets.ts';

/** An image by its name (the newest) or by the digest of its manifest (one that a sandbox was made from). */
export type WhichImage = { readonly name: string } | { readonly digest: string };

/** An image on its way: what every start reads is asked for at once, so that it is there when it is read. */
export class ImageDownload implements AssetFetcher {
  readonly manifest: Promise<{ manifest: ImageManifest; digest: string }>;
  /** Told as bytes arrive; what came before it was set is in `receivedBytes`. */
  onBytes: BytesListener = () => {};
  receivedBytes = 0;
  readonly #assets: HttpAssets;
  readonly #begun = new Map<string, Promise<ArrayBuffer>>();

  /** `folder` is that of the site's images. */
  constructor(folder: URL, which: WhichImage) {
    this.#assets = new HttpAssets(folder, (bytes) => {
      this.receivedBytes += bytes;
      this.onBytes(bytes);
    });
    this.manifest = this.#begin(which);
    this.manifest.catch(() => undefined); // Told to who asks.
  }

  /** Content that was begun is handed out once, and fetched again for the next. */
  content(asset: ImageAsset, options: { signal?: AbortSignal } = {}): Promise<ArrayBuffer> {
    const begun = this.#begun.get(asset.digest);
    this.#begun.delete(asset.digest);
    return begun ?? this.#assets.content(asset, options);
  }

  fetchSync(asset: ImageAsset): Uint8Array {
    return this.#assets.fetchSync(asset);
  }

  async #begin(which: WhichImage): Promise<{ manifest: ImageManifest; digest: string }> {
    const found = await this.#assets.manifest(which);
    const { golden, metadata, chunkIndex, bios, vgaBios } = found.manifest;
    const first = golden ? [golden, golden.session] : [];
    for (const asset of [metadata, chunkIndex, ...first, bios, vgaBios]) {
      const content = this.#assets.content(asset);
      content.catch(() => undefined); // Told to who asks.
      this.#begun.set(asset.digest, content);
    }
    return found;
  }
}

import type { DirectoryRow } from '../../../protocol/image-directories.ts';
import { type ImageAsset, type ImageManifest, startAssets } from '../../../protocol/image-manifest.ts';
import type { AssetFetcher } from '../../../protocol/image-source.ts';
import type { SavedState } from '../../../runtimes/v86/memory-image/saved-state.ts';
import type { WhichImage } from '../../../sandbox/backend/runtime-driver.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import { type BytesListener, HttpAssets, type WaitListener } from './http-assets.ts';
import type { StartCache } from './start-cache.ts';

/** An image that has begun to arrive. */
export interface FoundImage {
  readonly manifest: ImageManifest;
  readonly digest: string;
  /** Ids of the metadata's objects, where they have been verified before. */
  readonly ids: readonly ObjectId[] | undefined;
  /** What is known of the directories among those. */
  readonly directories: readonly DirectoryRow[] | undefined;
}

/** An image on its way: what every start reads is asked for at once, so that it is there when it is read. */
export class ImageDownload implements AssetFetcher {
  readonly found: Promise<FoundImage>;
  /** Told as bytes arrive; what came before it was set is in `receivedBytes`. */
  onBytes: BytesListener = () => {};
  receivedBytes = 0;
  /** Told what a server is still doing that has yet to make the image; what it said before this was set is in `waitsFor`. */
  onWait: WaitListener = () => {};
  waitsFor: string | undefined;
  /** Whether all of it was kept, as far as is known. */
  isKept = false;
  readonly #assets: HttpAssets;
  readonly #begun = new Map<string, Promise<SavedState>>();

  /** `folder` is that of the site's images; `kept` what may have been kept of some image, being read. */
  constructor(
    folder: URL,
    which: WhichImage,
    { kept }: { kept?: Promise<StartCache | undefined> | undefined } = {},
  ) {
    const onBytes = (bytes: number) => {
      this.receivedBytes += bytes;
      this.onBytes(bytes);
    };
    this.#assets = new HttpAssets(folder, onBytes, (text) => {
      this.waitsFor = text;
      this.onWait(text);
    });
    this.found = this.#find(which, kept);
    this.found.catch(() => undefined); // Told to who asks.
  }

  /** Content that was begun is handed out once, and fetched again for the next. */
  async content(asset: ImageAsset, options: { signal?: AbortSignal } = {}): Promise<ArrayBuffer> {
    const begun = await this.#takeBegun(asset);
    begun?.stored?.readAll();
    return begun?.bytes ?? this.#assets.content(asset, options);
  }

  /** Likewise a machine's state, whose RAM may be read when it is asked for. */
  async state(asset: ImageAsset): Promise<SavedState> {
    const state = (await this.#takeBegun(asset)) ?? { bytes: await this.#assets.content(asset) };
    return { ...state, letGo: () => void state.bytes.transfer(0) };
  }

  contentSync(asset: ImageAsset): Uint8Array {
    return this.#assets.contentSync(asset);
  }

  async #find(which: WhichImage, keeping: Promise<StartCache | undefined> | undefined): Promise<FoundImage> {
    const named = 'name' in which ? await this.#assets.manifest(which) : undefined;
    const digest = 'digest' in which ? which.digest : (named?.digest ?? '');
    const kept = await keeping;
    if (kept?.digest === digest) {
      this.isKept = true;
      kept.onDamage = () => {
        this.isKept = false;
      };
      for (const asset of startAssets(kept.manifest)) this.#begin(asset, kept.contents.get(asset.digest));
      const { ids, directories } = kept;
      return { manifest: kept.manifest, digest, ids, directories };
    }
    const { manifest } = named ?? (await this.#assets.manifest({ digest }));
    for (const asset of startAssets(manifest)) this.#begin(asset);
    return { manifest, digest, ids: undefined, directories: undefined };
  }

  #takeBegun({ digest }: ImageAsset): Promise<SavedState> | undefined {
    const begun = this.#begun.get(digest);
    this.#begun.delete(digest);
    return begun;
  }

  #begin(asset: ImageAsset, kept?: Promise<SavedState | undefined>): void {
    const content = (async () => {
      const found = await kept;
      if (!found) this.isKept = false;
      return found ?? { bytes: await this.#assets.content(asset) };
    })();
    content.catch(() => undefined); // Told to who asks.
    this.#begun.set(asset.digest, content);
  }
}

import { after } from '../../protocol/after.ts';
import {
  assetFileName,
  type ImageAsset,
  type ImageManifest,
  startAssets,
} from '../../protocol/image-manifest.ts';
import { assetCacheName } from '../transports/asset-cache.ts';
import { HttpAssets } from './assets/http-assets.ts';
import { writeStartCache } from './assets/start-cache.ts';
import type { MachineImage } from './machine/machine-image.ts';

const tellEveryBytes = 4_194_304;
/** Between attempts to write what somebody reads. */
const readerDelaysMs = [500, 2_000, 5_000, 10_000, 20_000];

export interface OfflineOptions {
  /** The folder with the site's images. */
  readonly folder: URL;
  /** The name that new sandboxes ask for. */
  readonly defaultImage: string;
  readonly signal: AbortSignal;
  /** Told at the start, every few megabytes, and at the end. */
  readonly onProgress: (doneBytes: number, totalBytes: number) => void;
}

type KeptImage = Pick<MachineImage, 'manifest' | 'digest' | 'source' | 'isKept'>;

/**
 * Fetches what a sandbox of this image may ever read into the browser's cache, one file after the
 * other, so that the next visit needs no network, and keeps what a start reads as it is read. Stops
 * quietly when the network or the storage gives out: the next start goes on from there.
 */
export async function keepOffline(image: KeptImage, options: OfflineOptions): Promise<void> {
  if (!('caches' in globalThis)) return;
  try {
    await inTurn(options.signal, async () => {
      const totalBytes = await fetchMissing(image, options);
      // Last: what a start reads is of no use without what its commands read.
      if (!image.isKept) await keepForStart(image, options);
      options.onProgress(totalBytes, totalBytes);
    });
  } catch (error) {
    if (!options.signal.aborted) console.info('Not everything is kept for offline use:', error);
  }
}

/**
 * Without it, a start is slower and nothing else: some browsers cannot keep it. While another worker or tab reads what is
 * kept, as one does at its start, this waits.
 */
async function keepForStart(
  { digest, source }: KeptImage,
  { folder, signal }: OfflineOptions,
): Promise<void> {
  const content = {
    assets: new HttpAssets(folder),
    ids: source.metadataIds(),
    directories: source.directories.rows(),
  };
  for (const delayMs of [...readerDelaysMs, undefined]) {
    try {
      await writeStartCache(digest, content);
      return;
    } catch (error) {
      const isRead = error instanceof DOMException && error.name === 'NoModificationAllowedError';
      if (!isRead || delayMs === undefined) {
        console.info('The next start reads the image anew:', error);
        return;
      }
      await after(delayMs);
      if (signal.aborted) return;
    }
  }
}

/** One sandbox at a time, among all tabs: the next finds what the one before has fetched. */
async function inTurn(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  if ('locks' in navigator) await navigator.locks.request(`${assetCacheName}/offline`, { signal }, work);
  else await work();
}

/** Answers the bytes of the image. */
async function fetchMissing({ manifest, digest }: KeptImage, options: OfflineOptions): Promise<number> {
  const { folder, signal, onProgress } = options;
  const assets = neededAssets(manifest);
  const totalBytes = assets.reduce((sum, asset) => sum + asset.storedBytes, 0);
  let doneBytes = 0;
  let tellAtBytes = 0;
  const cache = await caches.open(assetCacheName);
  const kept = new Set((await cache.keys()).map((request) => request.url));
  for (const name of [digest, options.defaultImage]) {
    const url = new URL(`${name}.json`, folder);
    if (!kept.has(url.href)) await cache.put(url, await fetchAsset(url, signal));
  }
  for (const asset of assets) {
    const url = new URL(assetFileName(asset), folder);
    if (!kept.has(url.href)) {
      if (doneBytes >= tellAtBytes) {
        onProgress(doneBytes, totalBytes);
        tellAtBytes = doneBytes + tellEveryBytes;
      }
      await cache.put(url, await fetchAsset(url, signal));
    }
    doneBytes += asset.storedBytes;
  }
  return totalBytes;
}

/** All but what only a cold boot reads. */
function neededAssets(manifest: ImageManifest): ImageAsset[] {
  return [...startAssets(manifest), ...manifest.chunkPacks];
}

async function fetchAsset(url: URL, signal: AbortSignal): Promise<Response> {
  const response = await fetch(url, { signal, priority: 'low' });
  if (response.ok) return response;
  throw new RangeError(`The server answered ${response.status} for ${url.pathname}`);
}

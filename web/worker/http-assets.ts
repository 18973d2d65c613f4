import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { SandboxError } from '../../protocol/errors.ts';
import {
  assetFileName,
  type ImageAsset,
  type ImageManifest,
  parseImageManifest,
} from '../../protocol/image-manifest.ts';
import type { AssetFetcher } from '../../protocol/image-source.ts';

/** Told as bytes of any asset arrive. */
export type BytesListener = (bytes: number) => void;

/**
 * Image files over HTTP, from one folder of static files: `<profile>.json` names the manifest's
 * assets, which never change and may be cached for ever. The service worker answers both kinds of
 * request when there is no network.
 */
export class HttpAssets implements AssetFetcher {
  readonly #folder: URL;
  readonly #onBytes: BytesListener;

  constructor(folder: URL, onBytes: BytesListener = () => {}) {
    this.#folder = folder;
    this.#onBytes = onBytes;
  }

  /**
   * The newest manifest of a name, or the one with a digest, which never changes.
   * @throws asset-unavailable, version-mismatch, invalid-argument
   */
  async manifest(
    which: { name: string } | { digest: string },
  ): Promise<{ manifest: ImageManifest; digest: string }> {
    const file = 'name' in which ? which.name : which.digest;
    const bytes = await this.#get(
      `${encodeURIComponent(file)}.json`,
      'name' in which ? { cache: 'no-cache' } : {},
    );
    const digest = bytesToHex(sha256(bytes));
    if ('digest' in which && digest !== which.digest)
      throw unavailable(`${file}.json`, 'it is not what its name says');
    return { manifest: parseImageManifest(new TextDecoder().decode(bytes)), digest };
  }

  fetch(asset: ImageAsset, options: { signal?: AbortSignal } = {}): Promise<Uint8Array> {
    return this.#get(assetFileName(asset), options);
  }

  fetchSync(asset: ImageAsset): Uint8Array {
    const name = assetFileName(asset);
    const request = new XMLHttpRequest();
    request.open('GET', new URL(name, this.#folder), false);
    request.responseType = 'arraybuffer';
    try {
      request.send();
    } catch (cause) {
      throw unavailable(name, 'the network does not answer', cause);
    }
    if (request.status !== 200) throw unavailable(name, `the server answered ${request.status}`);
    return new Uint8Array(request.response as ArrayBuffer);
  }

  /** The content of an asset, inflated by the browser while it arrives. */
  async content(asset: ImageAsset, options: { signal?: AbortSignal } = {}): Promise<ArrayBuffer> {
    const stored = await this.fetch(asset, options);
    const inflated = new Blob([stored as Uint8Array<ArrayBuffer>])
      .stream()
      .pipeThrough(new DecompressionStream('gzip'));
    const content = await new Response(inflated).arrayBuffer();
    if (content.byteLength === asset.sizeBytes) return content;
    throw new SandboxError(
      'corrupt-object',
      `Cannot use ${assetFileName(asset)}: it has ${content.byteLength} bytes, not ${asset.sizeBytes}`,
    );
  }

  async #get(name: string, init: RequestInit): Promise<Uint8Array> {
    let response: Response;
    try {
      response = await fetch(new URL(name, this.#folder), init);
    } catch (cause) {
      throw unavailable(name, 'the network does not answer', cause);
    }
    if (!response.ok || !response.body) throw unavailable(name, `the server answered ${response.status}`);
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (bytes, controller) => {
          this.#onBytes(bytes.length);
          controller.enqueue(bytes);
        },
      }),
    );
    return new Uint8Array(await new Response(counted).arrayBuffer());
  }
}

function unavailable(name: string, why: string, cause?: unknown): SandboxError {
  return new SandboxError('asset-unavailable', `Cannot load ${name}: ${why}`, { details: { name }, cause });
}

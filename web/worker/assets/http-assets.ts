import { after } from '../../../protocol/after.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import {
  assetFileName,
  type ImageAsset,
  type ImageManifest,
  parseImageManifest,
} from '../../../protocol/image-manifest.ts';
import type { AssetFetcher } from '../../../protocol/image-source.ts';
import { limits } from '../../../protocol/limits.ts';
import { inflate, inflateSync } from './inflate.ts';
import { sha256 } from './sha256.ts';

/** Told as bytes of any asset arrive. */
export type BytesListener = (bytes: number) => void;

/** Told what the server is still doing before it has an image: one line. */
export type WaitListener = (text: string) => void;

/** A server that is still making an image answers 503, when to ask again, and what it does (`scripts/static-server.ts`). */
class NotYetMade extends Error {
  readonly retryMs: number;

  constructor(text: string, retryMs: number) {
    super(text);
    this.retryMs = retryMs;
  }
}

/**
 * Image files over HTTP, from one folder of static files: `<profile>.json` names the manifest's
 * assets, which never change and may be cached for ever. The service worker answers both kinds of
 * request when there is no network.
 */
export class HttpAssets implements AssetFetcher {
  readonly #folder: URL;
  readonly #onBytes: BytesListener;
  readonly #onWait: WaitListener;

  constructor(folder: URL, onBytes: BytesListener = () => {}, onWait: WaitListener = () => {}) {
    this.#folder = folder;
    this.#onBytes = onBytes;
    this.#onWait = onWait;
  }

  /**
   * The newest manifest of a name, or the one with a digest, which never changes. Waits for a server that is still making it.
   * @throws asset-unavailable, version-mismatch, invalid-argument
   */
  async manifest(
    which: { name: string } | { digest: string },
  ): Promise<{ manifest: ImageManifest; digest: string; bytes: Uint8Array<ArrayBuffer> }> {
    const file = 'name' in which ? which.name : which.digest;
    const bytes = await this.#whenMade(() =>
      this.#get(`${encodeURIComponent(file)}.json`, 'name' in which ? { cache: 'no-cache' } : {}),
    );
    const digest = await sha256(bytes);
    if ('digest' in which && digest !== which.digest)
      throw unavailable(`${file}.json`, 'it is not what its name says');
    return { manifest: parseImageManifest(new TextDecoder().decode(bytes)), digest, bytes };
  }

  async content(asset: ImageAsset, options: { signal?: AbortSignal } = {}): Promise<ArrayBuffer> {
    const name = assetFileName(asset);
    const stored = await this.#get(name, options);
    try {
      return await inflate(stored, asset.sizeBytes);
    } catch (cause) {
      throw corrupt(asset, cause);
    }
  }

  contentSync(asset: ImageAsset): Uint8Array {
    const stored = this.#getSync(assetFileName(asset));
    try {
      return inflateSync(stored, asset.sizeBytes);
    } catch (cause) {
      throw corrupt(asset, cause);
    }
  }

  #getSync(name: string): Uint8Array {
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

  async #whenMade<T>(get: () => Promise<T>): Promise<T> {
    const untilMs = performance.now() + limits.imageMakingMs;
    for (;;) {
      try {
        return await get();
      } catch (error) {
        if (!(error instanceof NotYetMade)) throw error;
        if (performance.now() > untilMs)
          throw unavailable('the image', 'the server is still making it', error);
        this.#onWait(error.message);
        await after(error.retryMs);
      }
    }
  }

  async #get(name: string, init: RequestInit): Promise<Uint8Array<ArrayBuffer>> {
    try {
      const response = await fetch(new URL(name, this.#folder), init);
      const retrySeconds = Number(response.headers.get('retry-after') ?? Number.NaN);
      if (response.status === 503 && retrySeconds >= 0)
        throw new NotYetMade(await firstLine(response), retryMsOf(retrySeconds));
      if (!response.ok || !response.body) throw unavailable(name, `the server answered ${response.status}`);
      const parts: Uint8Array<ArrayBuffer>[] = [];
      const reader = response.body.getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        this.#onBytes(part.value.length);
        parts.push(part.value);
      }
      return joined(parts);
    } catch (cause) {
      if (cause instanceof SandboxError || cause instanceof NotYetMade) throw cause;
      throw unavailable(name, 'the network does not answer', cause);
    }
  }
}

/** A server may ask to be asked again at once. */
function retryMsOf(seconds: number): number {
  return Math.min(Math.max(seconds * 1_000, limits.imageMakingSoonestMs), limits.imageMakingLookMs);
}

async function firstLine(response: Response): Promise<string> {
  return ((await response.text()).split('\n', 1)[0] ?? '').slice(0, 120);
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function unavailable(name: string, why: string, cause?: unknown): SandboxError {
  return new SandboxError('asset-unavailable', `Cannot load ${name}: ${why}`, { details: { name }, cause });
}

function corrupt(asset: ImageAsset, cause: unknown): SandboxError {
  const name = assetFileName(asset);
  const why = `it is not gzip of ${asset.sizeBytes} bytes`;
  return new SandboxError('corrupt-object', `Cannot use ${name}: ${why}`, { details: { name }, cause });
}

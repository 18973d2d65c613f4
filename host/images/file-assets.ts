import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gunzipSync } from 'node:zlib';
import { SandboxError } from '../../protocol/errors.ts';
import {
  assetFileName,
  type ImageAsset,
  type ImageManifest,
  parseImageManifest,
} from '../../protocol/image-manifest.ts';
import type { AssetFetcher } from '../../protocol/image-source.ts';

const inflate = promisify(gunzip);

/** Image files in a folder of this machine. */
export class FileAssets implements AssetFetcher {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws not-found, version-mismatch, invalid-argument */
  async manifest(profile: string): Promise<ImageManifest> {
    const path = join(this.#folder, `${profile}.json`);
    const text = await readFile(path, 'utf8').catch((cause: unknown) => {
      throw new SandboxError(
        'not-found',
        `Image "${profile}" is not built. Build it with \`npm run images -- build ${profile}\``,
        { cause },
      );
    });
    return parseImageManifest(text);
  }

  async content(asset: ImageAsset): Promise<ArrayBuffer> {
    const stored = await readFile(join(this.#folder, assetFileName(asset))).catch((cause: unknown) => {
      throw unavailable(asset, cause);
    });
    const content = await inflate(stored, roomFor(asset)).catch((cause: unknown) => {
      throw notGzip(asset, cause);
    });
    const { buffer, byteOffset, length } = whole(asset, content);
    // zlib gives a buffer of its own, with a byte too many (`roomFor`), or one that it shares.
    return byteOffset === 0 && buffer instanceof ArrayBuffer && buffer.byteLength <= length + 64
      ? buffer.transfer(length)
      : new Uint8Array(content).buffer;
  }

  contentSync(asset: ImageAsset): Uint8Array {
    let stored: Uint8Array;
    try {
      stored = readFileSync(join(this.#folder, assetFileName(asset)));
    } catch (cause) {
      throw unavailable(asset, cause);
    }
    try {
      const { buffer, byteOffset, length } = whole(asset, gunzipSync(stored, roomFor(asset)));
      // No Buffer, whose `slice` is none.
      return new Uint8Array(buffer, byteOffset, length);
    } catch (cause) {
      throw notGzip(asset, cause);
    }
  }
}

/** One byte more than promised is room enough to find out. In one piece: zlib's usual ones of 16 KiB would be copied together. */
function roomFor({ sizeBytes }: ImageAsset): { maxOutputLength: number; chunkSize: number } {
  const most = sizeBytes + 1;
  return { maxOutputLength: most, chunkSize: Math.max(most, 64) };
}

function whole(asset: ImageAsset, content: Uint8Array): Uint8Array {
  if (content.length === asset.sizeBytes) return content;
  throw corrupt(asset, `it has ${content.length} bytes, not ${asset.sizeBytes}`);
}

function notGzip(asset: ImageAsset, cause: unknown): SandboxError {
  return cause instanceof SandboxError ? cause : corrupt(asset, 'it is not gzip of the promised size', cause);
}

function corrupt(asset: ImageAsset, why: string, cause?: unknown): SandboxError {
  return new SandboxError('corrupt-object', `Cannot use ${assetFileName(asset)}: ${why}`, {
    details: { digest: asset.digest },
    cause,
  });
}

function unavailable(asset: ImageAsset, cause: unknown): SandboxError {
  return new SandboxError(
    'asset-unavailable',
    `Cannot read image asset ${assetFileName(asset)}: ${(cause as Error).message}`,
    { cause },
  );
}

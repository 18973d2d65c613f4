import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';
import {
  assetFileName,
  type ImageAsset,
  type ImageManifest,
  parseImageManifest,
} from '../../protocol/image-manifest.ts';
import type { AssetFetcher } from '../../protocol/image-source.ts';

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

  async fetch(asset: ImageAsset): Promise<Uint8Array> {
    return readFile(join(this.#folder, assetFileName(asset))).catch((cause: unknown) => {
      throw unavailable(asset, cause);
    });
  }

  fetchSync(asset: ImageAsset): Uint8Array {
    try {
      return readFileSync(join(this.#folder, assetFileName(asset)));
    } catch (cause) {
      throw unavailable(asset, cause);
    }
  }
}

function unavailable(asset: ImageAsset, cause: unknown): SandboxError {
  return new SandboxError(
    'asset-unavailable',
    `Cannot read image asset ${assetFileName(asset)}: ${(cause as Error).message}`,
    { cause },
  );
}

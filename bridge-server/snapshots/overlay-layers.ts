import type { ByteString } from '../../tree/live/byte-string.ts';
import type { ObjectId } from '../../tree/objects/object-id.ts';
import { type DiskStat, diskPath, isWhiteout, readDiskStat } from './disk-node.ts';
import { type Layer, LayerCache } from './layer-cache.ts';
import { LayerStacks } from './layer-stacks.ts';
import type { RootSource } from './root-source.ts';

/** What an upper directory is mounted over, until it is released. */
export class LowerLayers {
  /** The uppermost first. */
  readonly paths: readonly string[];
  readonly #layers: readonly Layer[];

  constructor(layers: readonly Layer[]) {
    this.#layers = layers;
    this.paths = layers.map((layer) => layer.path);
  }

  release(): void {
    for (const layer of this.#layers) layer.release();
  }

  /** What the uppermost layer that has `path` says of it. */
  stat(path: ByteString): DiskStat | undefined {
    for (const layer of this.paths) {
      const stat = statBelow(layer, path);
      if (stat) return isWhiteout(stat) ? undefined : stat;
    }
    return undefined;
  }
}

/** The layers of trees: that of the image, shared by all, and on it a few with what makes other trees of it. Owns their folder. */
export class OverlayLayers {
  readonly #cache: LayerCache;
  readonly #stacks: LayerStacks;

  private constructor(cache: LayerCache) {
    this.#cache = cache;
    this.#stacks = new LayerStacks(cache);
  }

  /** `folder` is theirs alone. */
  static async open(folder: string): Promise<OverlayLayers> {
    return new OverlayLayers(await LayerCache.open(folder));
  }

  /** The layers that show the files of `tree`, made from those of one that is `near` where that is less. @throws as `RootMaker.make` */
  async take(tree: ObjectId, source: RootSource, near: readonly ObjectId[] = []): Promise<LowerLayers> {
    return new LowerLayers(await this.#stacks.take(tree, { source, near }));
  }

  /** Waits for what is being made and removed. */
  close(): Promise<void> {
    return this.#cache.close();
  }
}

/** A file where the path has a directory is the same as nothing. */
function statBelow(layer: string, path: ByteString): DiskStat | undefined {
  try {
    return readDiskStat(diskPath(layer, path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw error;
  }
}

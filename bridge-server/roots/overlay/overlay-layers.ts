import { join } from 'node:path';
import type { ByteString } from '../../../tree/content/byte-string.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import { isDirectory } from '../../../tree/live/file-mode.ts';
import { bootId } from '../../boot-id.ts';
import type { RootName } from '../../contract.ts';
import { type DiskStat, diskPath, isWhiteout, readDiskStat } from '../disk-node.ts';
import type { RootSource } from '../root-source.ts';
import { TreeOwners } from '../tree-owners.ts';
import { type Layer, LayerCache } from './layer-cache.ts';
import { changedTreeOf, LayerStacks } from './layer-stacks.ts';
import { readOwners, writeOwners } from './owner-file.ts';

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

  /** Whether something can be seen through them at `path`, below directories that hide nothing of them. */
  shows(path: ByteString): boolean {
    for (const layer of this.paths) {
      const look = lookBelow(layer, path);
      if (look !== 'nothing') return look === 'shown';
    }
    return false;
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
  readonly #owners: TreeOwners;
  /** Where the next process finds them. */
  readonly #ownerFile: string;

  private constructor(
    cache: LayerCache,
    { owners, ownerFile }: { readonly owners: TreeOwners; readonly ownerFile: string },
  ) {
    this.#cache = cache;
    this.#owners = owners;
    this.#ownerFile = ownerFile;
    this.#stacks = new LayerStacks(cache);
  }

  /** `folder` is theirs alone. */
  static async open(folder: string, spared: readonly RootName[] = []): Promise<OverlayLayers> {
    const owners = new TreeOwners();
    const isWanted = (name: string) => {
      const tree = changedTreeOf(name);
      return tree === undefined || owners.has(tree);
    };
    const cache = await LayerCache.open(folder, {
      spared,
      isWanted,
      bootId: await bootId().catch(() => undefined),
    });
    const ownerFile = join(folder, 'owners');
    const written = readOwners(ownerFile);
    for (const tree of changedTrees(cache)) {
      for (const owner of written.get(tree) ?? [earlier]) owners.add(tree, owner);
    }
    return new OverlayLayers(cache, { owners, ownerFile });
  }

  /** Those of a root that an earlier process has left. @throws not-found */
  async takeThere(names: readonly string[]): Promise<LowerLayers> {
    const taken = await Promise.allSettled(names.map((name) => this.#cache.takeThere(name)));
    const lower = new LowerLayers(taken.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
    const failed = taken.find((one) => one.status === 'rejected');
    if (failed === undefined) return lower;
    lower.release();
    throw failed.reason;
  }

  /** The layers that show the files of `tree`, made from those of one that is `near` where that is less. @throws as `RootMaker.make` */
  async take(tree: ObjectId, source: RootSource, near: readonly ObjectId[] = []): Promise<LowerLayers> {
    if (tree === source.base) this.#owners.add(tree);
    else this.own(source.sandbox, tree);
    return new LowerLayers(await this.#stacks.take(tree, { source, near }));
  }

  /** As of `RootMaker`. */
  own(sandbox: string | undefined, tree: ObjectId): void {
    // Before there is a layer that nobody would know of after a crash.
    if (this.#owners.add(tree, sandbox)) this.#writeOwners([tree]);
  }

  /** As of `RootMaker`. */
  retain(sandbox: string, trees: ReadonlySet<ObjectId>): Promise<void> {
    for (const tree of trees) if (this.#owners.has(tree)) this.#owners.add(tree, sandbox);
    this.#owners.retain(sandbox, trees);
    // Whose those are is not known, and none of what is forgotten may stay.
    this.#owners.retain(earlier, new Set());
    this.#writeOwners();
    return this.#cache.removeUnwanted();
  }

  /** Waits for what is being made and removed. */
  close(): Promise<void> {
    return this.#cache.close();
  }

  /** Of the layers that there are, and of those that are about to be made. */
  #writeOwners(about: readonly ObjectId[] = []): void {
    const trees = new Set([...changedTrees(this.#cache), ...about]);
    const known = [...trees].map((tree) => {
      const owners = this.#owners.of(tree).filter((owner) => owner !== earlier);
      return [tree, owners] as const;
    });
    writeOwners(this.#ownerFile, new Map(known.filter(([, owners]) => owners.length > 0)));
  }
}

/** Owns the layers of an earlier process that are known to be no sandbox's: they are as good as those of this one. */
const earlier = 'earlier';

function changedTrees(cache: LayerCache): readonly ObjectId[] {
  return cache.names.flatMap((name) => changedTreeOf(name) ?? []);
}

/** What one layer says of a path: on its way, all but a directory hides what layers further below have. */
function lookBelow(layer: string, path: ByteString): 'shown' | 'hidden' | 'nothing' {
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
    const stat = readDiskStat(diskPath(layer, path.slice(0, end)));
    if (stat === undefined) return 'nothing';
    if (!isDirectory(stat.mode)) return 'hidden';
  }
  const stat = readDiskStat(diskPath(layer, path));
  if (stat === undefined) return 'nothing';
  return isWhiteout(stat) ? 'hidden' : 'shown';
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

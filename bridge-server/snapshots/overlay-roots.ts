import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { throwIfAborted } from '../../protocol/abort.ts';
import type { ByteString } from '../../tree/live/byte-string.ts';
import type { ObjectId } from '../../tree/objects/object-id.ts';
import { decodeTreeRoot } from '../../tree/objects/tree-root.ts';
import type { MakeOptions, Root, RootMaker } from '../contract.ts';
import { type DiskStat, diskPath, isWhiteout, readDiskStat } from './disk-node.ts';
import { metadataGaps } from './kept-metadata.ts';
import { type Layer, LayerCache } from './layer-cache.ts';
import { NativeRoot } from './native-root.ts';
import { removeFolder } from './remove-folder.ts';
import { type HostLimits, RootSource } from './root-source.ts';
import type { TreeMember } from './tree-members.ts';

/**
 * Roots as overlays: the image's layer, shared by all, below it at most one layer with what another
 * tree changes, and a fresh upper directory for each root.
 */
export class OverlayRoots implements RootMaker {
  readonly name = 'overlay';
  readonly gaps: readonly string[];
  readonly #host: HostLimits;
  readonly #layers: LayerCache;
  readonly #folder: string;

  private constructor(host: HostLimits, parts: { folder: string; layers: LayerCache }) {
    this.#host = host;
    this.#layers = parts.layers;
    this.#folder = parts.folder;
    this.gaps = metadataGaps(host.abilities);
  }

  /** `folder` is this maker's alone, and on a file system that can be an overlay's upper. */
  static async open(folder: string, host: HostLimits): Promise<OverlayRoots> {
    // Whiteouts and their like are written differently without root, so the layers are not shared.
    const flavour = join(folder, host.abilities.isRoot ? 'overlay-trusted' : 'overlay-user');
    await removeFolder(join(flavour, 'roots'));
    await mkdir(join(flavour, 'roots'), { recursive: true, mode: 0o700 });
    return new OverlayRoots(host, { folder: flavour, layers: await LayerCache.open(flavour) });
  }

  async make(tree: ObjectId, options: MakeOptions): Promise<Root> {
    const source = new RootSource(options, this.#host);
    throwIfAborted(options.signal, 'Cannot make a root');
    const layers: Layer[] = [];
    const folder = join(this.#folder, 'roots', randomUUID());
    try {
      for (const layer of this.#layersOf(tree, source)) layers.unshift(await layer);
      return await this.#makeRoot(tree, { folder, layers, source });
    } catch (error) {
      for (const layer of layers) layer.release();
      await removeFolder(folder);
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#layers.close();
  }

  /** The lowest first. */
  *#layersOf(tree: ObjectId, source: RootSource): Generator<Promise<Layer>> {
    const { base, signal } = source;
    yield this.#layers.take(base, {
      isDurable: true,
      signal,
      make: (folder) => source.unpack(folder, { members: source.members(undefined, base) }),
    });
    if (base === tree) return;
    yield this.#layers.take(`${base.slice(0, 16)}-${tree}`, {
      isDurable: false,
      signal,
      make: (folder) => source.unpack(folder, { members: source.members(base, tree), whiteouts: true }),
    });
  }

  async #makeRoot(
    tree: ObjectId,
    { folder, layers, source }: { folder: string; layers: readonly Layer[]; source: RootSource },
  ): Promise<Root> {
    const { abilities, scanner } = this.#host;
    const [upper, work] = [join(folder, 'upper'), join(folder, 'work')];
    await mkdir(folder, { mode: 0o700 });
    await mkdir(upper);
    await mkdir(work);
    // The root directory of an overlay has the metadata of its upper one.
    await source.unpack(upper, { members: onlyRoot(tree, source), signal: source.signal });
    const lower = layers.map((layer) => layer.path);
    return NativeRoot.open({
      mount: { type: 'overlay', lower, upper, work, userxattr: !abilities.isRoot },
      folder: upper,
      scanner,
      abilities,
      lowerStat: (path) => lowerStat(lower, path),
      release: async () => {
        for (const layer of layers) layer.release();
        await removeFolder(folder);
      },
    });
  }
}

async function* onlyRoot(tree: ObjectId, source: RootSource): AsyncGenerator<TreeMember> {
  const { entry } = decodeTreeRoot(source.read(tree));
  yield { type: 'made', path: '', entry, replaces: false, dropsXattrs: false };
}

/** What the uppermost layer that has `path` says of it. */
function lowerStat(layers: readonly string[], path: ByteString): DiskStat | undefined {
  for (const layer of layers) {
    const stat = statBelow(layer, path);
    if (stat) return isWhiteout(stat) ? undefined : stat;
  }
  return undefined;
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

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
import { LayerCache } from './layer-cache.ts';
import { LayerStacks } from './layer-stacks.ts';
import { NativeRoot } from './native-root.ts';
import { removeFolder } from './remove-folder.ts';
import { type HostLimits, RootSource } from './root-source.ts';
import type { TreeMember } from './tree-members.ts';

/**
 * Roots as overlays: the image's layer, shared by all, on it a few with what makes other trees of it, each
 * of the one below, and a fresh upper directory for each root.
 */
export class OverlayRoots implements RootMaker {
  readonly name = 'overlay';
  readonly gaps: readonly string[];
  readonly #host: HostLimits;
  readonly #layers: LayerCache;
  readonly #stacks: LayerStacks;
  readonly #folder: string;

  private constructor(host: HostLimits, parts: { folder: string; layers: LayerCache }) {
    this.#host = host;
    this.#layers = parts.layers;
    this.#stacks = new LayerStacks(parts.layers);
    this.#folder = parts.folder;
    this.gaps = metadataGaps(host.abilities);
  }

  /** `folder` is this maker's alone, and on a file system that can be an overlay's upper. */
  static async open(folder: string, host: HostLimits): Promise<OverlayRoots> {
    // Whiteouts and owners are written differently without root, so the layers are not shared.
    const { isRoot, hasIds } = host.abilities;
    const flavour = join(folder, isRoot ? 'overlay-trusted' : hasIds ? 'overlay-ids' : 'overlay-user');
    await removeFolder(join(flavour, 'roots'));
    await mkdir(join(flavour, 'roots'), { recursive: true, mode: 0o700 });
    return new OverlayRoots(host, { folder: flavour, layers: await LayerCache.open(flavour) });
  }

  async make(tree: ObjectId, options: MakeOptions): Promise<Root> {
    const source = new RootSource(options, this.#host);
    throwIfAborted(options.signal, 'Cannot make a root');
    const folder = join(this.#folder, 'roots', randomUUID());
    await using owned = new AsyncDisposableStack();
    owned.defer(() => removeFolder(folder));
    const [made, taken] = await Promise.allSettled([
      makeUpper(folder, { tree, source }),
      this.#stacks.take(tree, { source, near: options.near ?? [] }),
    ]);
    const layers = taken.status === 'fulfilled' ? taken.value : [];
    for (const layer of layers) owned.defer(() => layer.release());
    if (taken.status === 'rejected') throw taken.reason;
    if (made.status === 'rejected') throw made.reason;
    const { abilities, scanner } = this.#host;
    const lower = layers.map((layer) => layer.path);
    const root = await NativeRoot.open({
      mount: { type: 'overlay', lower, ...made.value, userxattr: !abilities.isRoot },
      folder: made.value.upper,
      scanner,
      abilities,
      lowerStat: (path) => lowerStat(lower, path),
      release: () => held.disposeAsync(),
    });
    const held = owned.move();
    return root;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#layers.close();
  }
}

/** What a root has for itself. */
async function makeUpper(
  folder: string,
  { tree, source }: { readonly tree: ObjectId; readonly source: RootSource },
): Promise<{ upper: string; work: string }> {
  const [upper, work] = [join(folder, 'upper'), join(folder, 'work')];
  await mkdir(folder, { mode: 0o700 });
  await mkdir(upper);
  await mkdir(work);
  // The root directory of an overlay has the metadata of its upper one.
  await source.unpack(upper, { members: onlyRoot(tree, source), signal: source.signal });
  return { upper, work };
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

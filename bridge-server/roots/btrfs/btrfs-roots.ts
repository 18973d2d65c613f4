import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { throwIfAborted } from '../../../protocol/abort.ts';
import { limits } from '../../../protocol/limits.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import type { MakeOptions, Root, RootMaker, RootName } from '../../contract.ts';
import { copyFolder } from '../copy-folder.ts';
import { type HeldFolder, NativeRoot, type NativeRootParts } from '../native-root.ts';
import { clearRoots, orphanedRoot } from '../orphaned-roots.ts';
import { LowerLayers, OverlayLayers } from '../overlay/overlay-layers.ts';
import { makeUpper, overlayMount, upperPaths } from '../overlay/upper-folder.ts';
import { removeFolder } from '../remove-folder.ts';
import { type HostLimits, type MakerOptions, RootSource } from '../root-source.ts';
import { metadataGaps } from '../supported-metadata.ts';
import { TreeOwners } from '../tree-owners.ts';
import { type CachedUpper, CachedUppers } from './cached-uppers.ts';
import { removeLeftProbes } from './probe-btrfs.ts';
import { Subvolumes } from './subvolumes.ts';

/**
 * Roots as overlays, each in a subvolume of btrfs that has the image's layer as well as what is its own:
 * what a root has is put aside in constant time while its processes wait, and the root of a tree that
 * was put aside is one more snapshot of it. The overlay makes a look at what changed cost what a
 * sandbox has changed, not the size of its image, and keeps the ioctls of btrfs, such as making
 * subvolumes, from who is inside. Files of two subvolumes may have the same number, which an overlay
 * passes on; so the layer is not shared with other roots, only its blocks are.
 */
export class BtrfsRoots implements RootMaker {
  readonly name = 'btrfs';
  readonly gaps: readonly string[];
  readonly #host: HostLimits;
  readonly #layers: OverlayLayers;
  readonly #folder: string;
  readonly #subvolumes: Subvolumes;
  readonly #kept: CachedUppers;
  readonly #owners = new TreeOwners();
  readonly #removals = new Set<Promise<void>>();

  private constructor(
    host: HostLimits,
    parts: { folder: string; layers: OverlayLayers; subvolumes: Subvolumes },
  ) {
    this.#host = host;
    this.#layers = parts.layers;
    this.#folder = parts.folder;
    this.#subvolumes = parts.subvolumes;
    this.#kept = new CachedUppers({
      discard: ({ path }) => void this.#discard(path),
      hasTree: (tree) => this.#owners.has(tree),
    });
    this.gaps = metadataGaps(host.abilities);
  }

  /** Removes what an earlier process has left. `folder` is this maker's alone, and on btrfs (`probeBtrfs`). */
  static async open(
    folder: string,
    { launcher, spared, ...host }: MakerOptions & { readonly launcher: string },
  ): Promise<BtrfsRoots> {
    const { isRoot, hasIds } = host.abilities;
    const flavour = join(folder, isRoot ? 'btrfs-trusted' : hasIds ? 'btrfs-ids' : 'btrfs-user');
    await using stack = new AsyncDisposableStack();
    const subvolumes = stack.use(new Subvolumes(launcher));
    await removeLeftProbes(folder, subvolumes);
    await clearRoots(join(flavour, 'roots'), spared, (path) => subvolumes.remove(path));
    await clearRoots(join(flavour, 'kept'), [], (path) => subvolumes.remove(path));
    const layers = await OverlayLayers.open(flavour);
    stack.move();
    return new BtrfsRoots(host, { folder: flavour, layers, subvolumes });
  }

  async make(tree: ObjectId, options: MakeOptions): Promise<Root> {
    throwIfAborted(options.signal, 'Cannot make a root');
    const source = new RootSource(options, this.#host);
    const folder = join(this.#folder, 'roots', randomUUID());
    const root = await this.#withKept(tree, source, (kept) => this.#makeFrom(folder, kept, source.sandbox));
    if (options.signal?.aborted) await root[Symbol.asyncDispose]();
    throwIfAborted(options.signal, 'Cannot make a root');
    return root;
  }

  async adopt(name: RootName, sandbox?: string): Promise<Root> {
    const folder = await orphanedRoot(join(this.#folder, 'roots'), { name, maker: this });
    const [below] = name.layers as ObjectId[];
    if (below !== undefined) this.#owners.add(below, sandbox);
    return NativeRoot.find(this.#parts(folder, { below, sandbox }), name);
  }

  own(sandbox: string, tree: ObjectId): void {
    this.#owners.add(tree, sandbox);
  }

  async retain(sandbox: string, trees: ReadonlySet<ObjectId>): Promise<void> {
    this.#owners.retain(sandbox, trees);
    this.#kept.discardUnwanted();
    await Promise.all(this.#removals);
  }

  /** Deletes what is kept; roots are their users' to let go of first. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#kept.clear();
    await Promise.all(this.#removals);
    await this.#layers.close();
    await this.#subvolumes[Symbol.asyncDispose]();
    await this.#host.quotas?.[Symbol.asyncDispose]();
  }

  /** Does `work` with the subvolume of `tree`, made if it is not there. */
  async #withKept<T>(
    tree: ObjectId,
    source: RootSource,
    work: (kept: CachedUpper) => Promise<T>,
  ): Promise<T> {
    const isImage = tree === source.base;
    this.#owners.add(tree, isImage ? undefined : source.sandbox);
    const done = await this.#kept.use(tree, async (kept) => ({ result: await work(kept) }));
    if (done) return done.result;
    const path = join(this.#folder, 'kept', randomUUID());
    try {
      if (isImage) await this.#makeBase(path, source);
      else await this.#withKept(source.base, source, (base) => this.#makeUpon(base, path, { tree, source }));
    } catch (error) {
      void this.#discard(path);
      throw error;
    }
    // Not before it was used: nobody discards it until then.
    const kept = { path, seen: undefined, below: isImage ? undefined : tree };
    try {
      return await work(kept);
    } finally {
      this.#kept.add(tree, kept);
    }
  }

  async #makeBase(path: string, source: RootSource): Promise<void> {
    const lower = await this.#layers.take(source.base, source);
    try {
      await this.#subvolumes.create(path);
      const { image, change } = layerPaths(path);
      for (const layer of lower.paths) await copyFolder(layer, image, source.signal);
      await mkdir(change);
      await makeUpper(path, source.base, source);
    } finally {
      lower.release();
    }
  }

  async #makeUpon(
    base: CachedUpper,
    path: string,
    { tree, source }: { readonly tree: ObjectId; readonly source: RootSource },
  ): Promise<void> {
    await this.#subvolumes.snapshot(base.path, path, { isReadOnly: false });
    const { upper, work } = upperPaths(path);
    for (const folder of [upper, work]) await removeFolder(folder);
    await makeUpper(path, tree, source);
    const members = source.members(source.base, tree);
    await source.unpack(layerPaths(path).change, {
      members,
      whiteouts: true,
      signal: source.signal,
      onUnpack: source.unpackListener(),
    });
  }

  async #makeFrom(
    folder: string,
    { path, seen, below }: CachedUpper,
    sandbox: string | undefined,
  ): Promise<Root> {
    await this.#subvolumes.snapshot(path, folder, { isReadOnly: false });
    try {
      // What another mount was working on is nothing to go on with.
      const { work } = upperPaths(folder);
      await removeFolder(work);
      await mkdir(work);
      return await NativeRoot.open({ ...this.#parts(folder, { below, sandbox }), seen });
    } catch (error) {
      void this.#discard(folder);
      throw error;
    }
  }

  #parts(folder: string, of: RootFacts): NativeRootParts {
    const { abilities, scanner, quotas } = this.#host;
    const { change, image } = layerPaths(folder);
    const lower = new LowerLayers([change, image].map((path) => ({ path, release: () => {} })));
    return {
      mount: overlayMount(folder, { lower, abilities }),
      allow: quotas && ((room) => quotas.allow(folder, room)),
      name: {
        kind: this.name,
        folder: basename(folder),
        layers: of.below === undefined ? [] : [of.below],
      },
      folder: upperPaths(folder).upper,
      scanner,
      abilities,
      lowerStat: (path) => lower.stat(path),
      lowerShows: (path) => lower.shows(path),
      ...this.#holding(folder, of),
      release: () => this.#discard(folder),
    };
  }

  /**
   * A snapshot waits for what is written to the disk of all that the subvolume has. Where the last one took long, another
   * before it, while processes run, leaves it little to wait for.
   */
  #holding(folder: string, of: RootFacts): Pick<NativeRootParts, 'hold' | 'prepare'> {
    let lastMs = 0;
    return {
      prepare: async () => {
        if (lastMs < limits.subvolumeSlowMs) return;
        const path = join(this.#folder, 'kept', randomUUID());
        // The one that matters says what is wrong.
        await this.#subvolumes.snapshot(folder, path, { isReadOnly: true }).catch(() => undefined);
        void this.#discard(path);
      },
      hold: async () => {
        const startMs = performance.now();
        const held = await this.#hold(folder, of);
        lastMs = performance.now() - startMs;
        return held;
      },
    };
  }

  async #hold(folder: string, { below, sandbox }: RootFacts): Promise<HeldFolder | undefined> {
    const path = join(this.#folder, 'kept', randomUUID());
    try {
      await this.#subvolumes.snapshot(folder, path, { isReadOnly: true });
    } catch (error) {
      // It may have been made all the same.
      void this.#discard(path);
      // A full disk holds what it has; reading that in place needs no room.
      console.warn('The files of a sandbox are read while it waits:', error);
      return undefined;
    }
    return {
      folder: upperPaths(path).upper,
      keep: (tree, seen) => {
        this.#owners.add(tree, sandbox);
        this.#kept.add(tree, { path, seen, below });
      },
      discard: () => void this.#discard(path),
    };
  }

  /** Resolves when it is gone, or left to the next start. For who does not wait, `[Symbol.asyncDispose]` does. */
  #discard(path: string): Promise<void> {
    const removal = this.#subvolumes
      .delete(path)
      .catch((error) => console.warn('Not deleted until the next start:', error));
    this.#removals.add(removal);
    void removal.then(() => this.#removals.delete(removal));
    return removal;
  }
}

/** Whose root it is, and the tree that it was made of by change, as of `CachedUpper`. */
interface RootFacts extends Pick<CachedUpper, 'below'> {
  readonly sandbox: string | undefined;
}

/** Where the layers are in a subvolume: the image, and what makes the tree of it that the root was first made with. */
function layerPaths(folder: string): { readonly image: string; readonly change: string } {
  return { image: join(folder, 'image'), change: join(folder, 'change') };
}

import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { throwIfAborted } from '../../protocol/abort.ts';
import type { ObjectId } from '../../tree/objects/object-id.ts';
import type { MakeOptions, Root, RootMaker } from '../contract.ts';
import { metadataGaps } from './kept-metadata.ts';
import { type KeptUpper, KeptUppers } from './kept-uppers.ts';
import { type HeldFolder, NativeRoot, type SeenFolder } from './native-root.ts';
import { type LowerLayers, OverlayLayers } from './overlay-layers.ts';
import { removeLeftProbes } from './probe-btrfs.ts';
import { removeFolder } from './remove-folder.ts';
import { type HostLimits, RootSource } from './root-source.ts';
import { Subvolumes } from './subvolumes.ts';
import { makeUpper, overlayMount, upperPaths } from './upper-folder.ts';

/**
 * Roots as overlays whose upper directories are subvolumes of btrfs: what a root has is put aside in
 * constant time while its processes wait, and the root of a tree that was put aside is one more
 * snapshot of it. The overlay makes a look at what changed cost what a sandbox has changed, not the
 * size of its image, and keeps the ioctls of btrfs, such as making subvolumes, from who is inside.
 */
export class BtrfsRoots implements RootMaker {
  readonly name = 'btrfs';
  readonly gaps: readonly string[];
  readonly #host: HostLimits;
  readonly #layers: OverlayLayers;
  readonly #folder: string;
  readonly #subvolumes: Subvolumes;
  readonly #kept: KeptUppers;
  readonly #removals = new Set<Promise<void>>();

  private constructor(
    host: HostLimits,
    parts: { folder: string; layers: OverlayLayers; subvolumes: Subvolumes },
  ) {
    this.#host = host;
    this.#layers = parts.layers;
    this.#folder = parts.folder;
    this.#subvolumes = parts.subvolumes;
    this.#kept = new KeptUppers({ discard: (upper) => this.#discard(upper) });
    this.gaps = metadataGaps(host.abilities);
  }

  /** Removes what an earlier process has left. `folder` is this maker's alone, and on btrfs (`probeBtrfs`). */
  static async open(
    folder: string,
    { launcher, ...host }: HostLimits & { readonly launcher: string },
  ): Promise<BtrfsRoots> {
    const { isRoot, hasIds } = host.abilities;
    const flavour = join(folder, isRoot ? 'btrfs-trusted' : hasIds ? 'btrfs-ids' : 'btrfs-user');
    await using stack = new AsyncDisposableStack();
    const subvolumes = stack.use(new Subvolumes(launcher));
    await removeLeftProbes(folder, subvolumes);
    for (const name of ['roots', 'kept']) {
      await mkdir(join(flavour, name), { recursive: true, mode: 0o700 });
      await subvolumes.empty(join(flavour, name));
    }
    const layers = await OverlayLayers.open(flavour);
    stack.move();
    return new BtrfsRoots(host, { folder: flavour, layers, subvolumes });
  }

  async make(tree: ObjectId, options: MakeOptions): Promise<Root> {
    throwIfAborted(options.signal, 'Cannot make a root');
    const folder = join(this.#folder, 'roots', randomUUID());
    const root =
      (await this.#kept.use(tree, (upper) => this.#makeFromKept(folder, upper))) ??
      (await this.#makeFromLayers(folder, tree, options));
    if (options.signal?.aborted) await root[Symbol.asyncDispose]();
    throwIfAborted(options.signal, 'Cannot make a root');
    return root;
  }

  /** Deletes what is kept; roots are their users' to let go of first. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#kept.clear();
    await Promise.all(this.#removals);
    await this.#layers.close();
    await this.#subvolumes[Symbol.asyncDispose]();
  }

  async #makeFromKept(folder: string, { path, lower, seen }: KeptUpper): Promise<Root> {
    await this.#subvolumes.snapshot(path, folder, { isReadOnly: false });
    try {
      // What another mount was working on is nothing to go on with.
      const { work } = upperPaths(folder);
      await removeFolder(work);
      await mkdir(work);
      return await this.#root(folder, { lower: lower.share(), seen });
    } catch (error) {
      await this.#subvolumes.delete(folder);
      throw error;
    }
  }

  async #makeFromLayers(folder: string, tree: ObjectId, options: MakeOptions): Promise<Root> {
    const source = new RootSource(options, this.#host);
    const lower = await this.#layers.take(tree, source);
    try {
      await this.#subvolumes.create(folder);
      await makeUpper(folder, tree, source);
      return await this.#root(folder, { lower, seen: undefined });
    } catch (error) {
      lower.release();
      await this.#subvolumes.delete(folder);
      throw error;
    }
  }

  #root(
    folder: string,
    { lower, seen }: { lower: LowerLayers; seen: SeenFolder | undefined },
  ): Promise<Root> {
    const { abilities, scanner } = this.#host;
    return NativeRoot.open({
      mount: overlayMount(folder, { lower, abilities }),
      folder: upperPaths(folder).upper,
      scanner,
      abilities,
      lowerStat: (path) => lower.stat(path),
      seen,
      hold: () => this.#hold(folder, lower),
      release: async () => {
        lower.release();
        await this.#subvolumes.delete(folder);
      },
    });
  }

  async #hold(folder: string, lower: LowerLayers): Promise<HeldFolder | undefined> {
    const path = join(this.#folder, 'kept', randomUUID());
    try {
      await this.#subvolumes.snapshot(folder, path, { isReadOnly: true });
    } catch (error) {
      // A full disk holds what it has; reading that in place needs no room.
      console.warn('The files of a sandbox are read while it waits:', error);
      return undefined;
    }
    const share = lower.share();
    return {
      folder: upperPaths(path).upper,
      keep: (tree, seen) => this.#kept.add(tree, { path, lower: share, seen }),
      discard: () => this.#discard({ path, lower: share }),
    };
  }

  /** Nobody waits for it, but `[Symbol.asyncDispose]` does. */
  #discard({ path, lower }: Pick<KeptUpper, 'path' | 'lower'>): void {
    lower.release();
    const removal = this.#subvolumes
      .delete(path)
      .catch((error) => console.warn('Not deleted until the next start:', error));
    this.#removals.add(removal);
    void removal.then(() => this.#removals.delete(removal));
  }
}

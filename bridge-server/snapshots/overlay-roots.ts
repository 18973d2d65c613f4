import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { throwIfAborted } from '../../protocol/abort.ts';
import type { ObjectId } from '../../tree/objects/object-id.ts';
import type { MakeOptions, Root, RootMaker } from '../contract.ts';
import { metadataGaps } from './kept-metadata.ts';
import { NativeRoot } from './native-root.ts';
import { OverlayLayers } from './overlay-layers.ts';
import { removeFolder } from './remove-folder.ts';
import { type HostLimits, RootSource } from './root-source.ts';
import { makeUpper, overlayMount, upperPaths } from './upper-folder.ts';

/** Roots as overlays: a fresh upper directory for each root, over layers that they share. */
export class OverlayRoots implements RootMaker {
  readonly name = 'overlay';
  readonly gaps: readonly string[];
  readonly #host: HostLimits;
  readonly #layers: OverlayLayers;
  readonly #folder: string;

  private constructor(host: HostLimits, parts: { folder: string; layers: OverlayLayers }) {
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
    return new OverlayRoots(host, { folder: flavour, layers: await OverlayLayers.open(flavour) });
  }

  async make(tree: ObjectId, options: MakeOptions): Promise<Root> {
    const { abilities } = this.#host;
    const source = new RootSource(options, this.#host);
    throwIfAborted(options.signal, 'Cannot make a root');
    const folder = join(this.#folder, 'roots', randomUUID());
    const lower = await this.#layers.take(tree, source);
    const release = async () => {
      lower.release();
      await removeFolder(folder);
    };
    try {
      await mkdir(folder, { mode: 0o700 });
      await makeUpper(folder, tree, source);
      return new NativeRoot({
        mount: overlayMount(folder, { lower, abilities }),
        folder: upperPaths(folder).upper,
        abilities,
        lowerStat: (path) => lower.stat(path),
        release,
      });
    } catch (error) {
      await release();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#layers.close();
  }
}

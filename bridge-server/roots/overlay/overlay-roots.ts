import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { throwIfAborted } from '../../../protocol/abort.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import type { MakeOptions, Root, RootMaker, RootName } from '../../contract.ts';
import { NativeRoot, type NativeRootParts } from '../native-root.ts';
import { clearRoots, orphanedRoot } from '../orphaned-roots.ts';
import { removeFolder } from '../remove-folder.ts';
import { type HostLimits, type MakerOptions, RootSource } from '../root-source.ts';
import { metadataGaps } from '../supported-metadata.ts';
import { type LowerLayers, OverlayLayers } from './overlay-layers.ts';
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
  static async open(folder: string, { spared, ...host }: MakerOptions): Promise<OverlayRoots> {
    // Whiteouts and owners are written differently without root, so the layers are not shared.
    const { isRoot, hasIds } = host.abilities;
    const flavour = join(folder, isRoot ? 'overlay-trusted' : hasIds ? 'overlay-ids' : 'overlay-user');
    await clearRoots(join(flavour, 'roots'), spared);
    return new OverlayRoots(host, { folder: flavour, layers: await OverlayLayers.open(flavour, spared) });
  }

  async make(tree: ObjectId, options: MakeOptions): Promise<Root> {
    const source = new RootSource(options, this.#host);
    throwIfAborted(options.signal, 'Cannot make a root');
    const folder = join(this.#folder, 'roots', randomUUID());
    await using owned = new AsyncDisposableStack();
    owned.defer(() => this.#remove(folder));
    await mkdir(folder, { mode: 0o700 });
    await this.#host.quotas?.prepare(folder);
    const [made, taken] = await Promise.allSettled([
      makeUpper(folder, tree, source),
      this.#layers.take(tree, source, options.near),
    ]);
    if (taken.status === 'rejected') throw taken.reason;
    const lower = taken.value;
    owned.defer(() => lower.release());
    if (made.status === 'rejected') throw made.reason;
    const root = await NativeRoot.open(this.#parts(folder, { lower, release: () => held.disposeAsync() }));
    const held = owned.move();
    return root;
  }

  async makeAhead(tree: ObjectId, options: MakeOptions): Promise<void> {
    const source = new RootSource(options, this.#host, { isAhead: true });
    const lower = await this.#layers.take(tree, source, options.near);
    lower.release();
  }

  async adopt(name: RootName): Promise<Root> {
    const folder = await orphanedRoot(join(this.#folder, 'roots'), { name, maker: this });
    const lower = await this.#layers.takeThere(name.layers);
    const release = async () => {
      lower.release();
      await this.#remove(folder);
    };
    return NativeRoot.find(this.#parts(folder, { lower, release }), name);
  }

  own(sandbox: string, tree: ObjectId): void {
    this.#layers.own(sandbox, tree);
  }

  retain(sandbox: string, trees: ReadonlySet<ObjectId>): Promise<void> {
    return this.#layers.retain(sandbox, trees);
  }

  #parts(
    folder: string,
    { lower, release }: { readonly lower: LowerLayers; readonly release: () => Promise<void> },
  ): NativeRootParts {
    const { abilities, scanner, quotas } = this.#host;
    return {
      mount: overlayMount(folder, { lower, abilities }),
      allow: quotas && ((room) => quotas.allow(folder, room)),
      name: { kind: this.name, folder: basename(folder), layers: lower.paths.map((path) => basename(path)) },
      folder: upperPaths(folder).upper,
      scanner,
      abilities,
      lowerStat: (path) => lower.stat(path),
      lowerShows: (path) => lower.shows(path),
      release,
    };
  }

  async #remove(folder: string): Promise<void> {
    await removeFolder(folder);
    await this.#host.quotas?.forget(folder, this.#folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#layers.close();
    await this.#host.quotas?.[Symbol.asyncDispose]();
  }
}

import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { throwIfAborted } from '../../../protocol/abort.ts';
import type { ByteString } from '../../../tree/content/byte-string.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import { isDirectory } from '../../../tree/live/file-mode.ts';
import type { FurnishedRoot, MakeOptions, Root, RootMaker, RootName } from '../../contract.ts';
import { copyFolder } from '../copy-folder.ts';
import { diskPath } from '../disk-node.ts';
import { NativeRoot, type NativeRootParts } from '../native-root.ts';
import { clearRoots, orphanedRoot } from '../orphaned-roots.ts';
import { LayerCache } from '../overlay/layer-cache.ts';
import { removeFolder } from '../remove-folder.ts';
import { type HostLimits, type MakerOptions, RootSource } from '../root-source.ts';
import { metadataGaps } from '../supported-metadata.ts';
import type { TreeMember } from '../unpack/tree-members.ts';

/**
 * Roots as plain folders: the image copied, then changed into the tree. Works everywhere, costs the
 * size of the image unless the file system shares blocks between copies.
 */
export class CopyRoots implements RootMaker {
  readonly name = 'copy';
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

  /** `folder` is this maker's alone. */
  static async open(folder: string, { spared, ...host }: MakerOptions): Promise<CopyRoots> {
    const { isRoot, hasIds } = host.abilities;
    const copies = join(folder, isRoot ? 'copy' : hasIds ? 'copy-ids' : 'copy-user');
    // Of a bridge that was killed, something may run in them still; ids are given out anew after this.
    for (const { folder: name } of spared)
      await host.furnisher?.clear(rootPath(join(copies, 'roots', name))).catch(ignoreMissing);
    await clearRoots(join(copies, 'roots'), spared, async (path) => {
      // Nothing may run in what is removed, which the host's root does by names.
      await host.furnisher?.clear(rootPath(path)).catch(ignoreMissing);
      await removeFolder(path);
    });
    return new CopyRoots(host, { folder: copies, layers: await LayerCache.open(copies) });
  }

  async make(tree: ObjectId, options: MakeOptions): Promise<Root> {
    const { signal } = options;
    throwIfAborted(signal, 'Cannot make a root');
    const folder = join(this.#folder, 'roots', randomUUID());
    const path = rootPath(folder);
    let furnished: FurnishedRoot | undefined;
    try {
      await mkdir(folder, { mode: 0o700 });
      await this.#host.quotas?.prepare(folder);
      await fill(path, { tree, source: new RootSource(options, this.#host), layers: this.#layers });
      throwIfAborted(signal, 'Cannot make a root');
      furnished = await this.#host.furnisher?.furnish(path);
      return await NativeRoot.open(this.#parts(folder, furnished));
    } catch (error) {
      await furnished?.release();
      await this.#remove(folder);
      throw error;
    }
  }

  async adopt(name: RootName): Promise<Root> {
    const folder = await orphanedRoot(join(this.#folder, 'roots'), { name, maker: this });
    const furnished = await this.#host.furnisher?.furnish(rootPath(folder));
    return NativeRoot.find(this.#parts(folder, furnished), name);
  }

  /** Nothing is cached but images, as of `retain`. */
  own(): void {}

  async retain(): Promise<void> {}

  #parts(folder: string, furnished?: FurnishedRoot): NativeRootParts {
    const path = rootPath(folder);
    const { scanner, abilities, quotas } = this.#host;
    return {
      allow: quotas && ((room) => quotas.allow(folder, room)),
      mount: { type: 'bind', path, ownId: furnished?.id },
      name: { kind: this.name, folder: basename(folder), layers: [] },
      folder: path,
      isOutside: furnished && isOutside,
      scanner,
      abilities,
      lowerStat: undefined,
      lowerShows: undefined,
      leave: furnished && (() => furnished.release()),
      release: async () => {
        // Nothing may run in what is removed.
        await furnished?.release();
        await this.#remove(folder);
      },
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

/** Whether a path is where jails that can mount have mounts: nothing there is of the tree. */
function isOutside(path: ByteString): boolean {
  return /^(dev|proc|run|sys)(\/|$)/.test(path);
}

/** A process that was killed may have left less than a root. */
function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** In a folder of its own, which keeps others of the host out whatever the mode of the root is. */
function rootPath(folder: string): string {
  return join(folder, 'root');
}

/** Makes the folder `path` with the files of `tree`. */
async function fill(
  path: string,
  { tree, source, layers }: { tree: ObjectId; source: RootSource; layers: LayerCache },
): Promise<void> {
  const { base, signal } = source;
  const layer = await layers.take(base, {
    isDurable: true,
    signal,
    onUnpack: source.unpackListener(),
    make: (folder, told) => source.unpack(folder, { members: source.members(undefined, base), ...told }),
  });
  try {
    await copyFolder(layer.path, path, signal);
  } finally {
    layer.release();
  }
  if (tree === base) return;
  // tar does not remove; what is in the way of a directory, or is none any more, goes first.
  for await (const member of source.members(base, tree)) {
    const there = diskPath(path, member.path);
    if (isInTheWay(member)) await rm(there, { recursive: true, force: true });
    else if (member.type === 'made' && member.dropsXattrs) await renewFolder(there, `${path}.new`);
  }
  const members = source.members(base, tree);
  await source.unpack(path, { members, signal, onUnpack: source.unpackListener() });
}

/** Puts a folder's entries into a new one in its place: nothing here removes extended attributes. */
async function renewFolder(path: Buffer, passing: string): Promise<void> {
  await mkdir(passing, { mode: 0o700 });
  const at = (folder: Buffer, name: Buffer) => Buffer.concat([folder, Buffer.from('/'), name]);
  for (const name of await readdir(path, { encoding: 'buffer' })) {
    await rename(at(path, name), at(Buffer.from(passing), name));
  }
  await rmdir(path);
  await rename(passing, path);
}

function isInTheWay(member: TreeMember): boolean {
  return member.type === 'removed' || member.replaces || !isDirectory(member.entry.mode);
}

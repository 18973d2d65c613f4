import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { History } from '../../tree/history/history.ts';
import { ContentCache } from '../../tree/live/content-cache.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { WorkSlices } from '../../tree/next-task.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import { sealSlices } from '../../tree/objects/seal-tree.ts';
import type { SealedTree } from '../../tree/objects/sealed-tree.ts';
import { TarExtractor } from '../../tree/tar/extract-tar.ts';
import { changeSummary } from '../capture/changed-files.ts';
import { diskCoverage } from '../capture/disk-coverage.ts';
import type { ImageObjects } from '../image-objects.ts';
import { ObjectSource } from '../object-source.ts';

export interface LayArchiveOptions {
  /** What the files are laid over: HEAD of the store. */
  readonly first: SealedTree;
  /** What the store need not hold. */
  readonly elsewhere: ImageObjects;
  readonly diskMiB: number;
  /** Of the snapshot that is made. */
  readonly label: string;
}

/** What of an archive a sandbox may begin with. */
const plain: ReadonlySet<string> = new Set(['file', 'directory', 'symlink', 'hardLink']);

/**
 * Lays the files of a tar archive over the tree at HEAD, and makes them the next snapshot. Existing files are replaced,
 * directories are merged, devices and pipes are left out. No machine runs: of files of any size, a few MiB are in memory.
 * @throws invalid-argument for what is no archive, or does not fit on the tree; storage-full
 */
export async function layArchive(
  pieces: AsyncIterable<Uint8Array>,
  store: SandboxStore,
  { first, elsewhere, diskMiB, label }: LayArchiveOptions,
): Promise<SealedTree> {
  const history = History.open(store, { isElsewhere: (id) => elsewhere.has(id) });
  const content = new ContentCache(new ObjectSource(store, elsewhere), {
    budgetBytes: limits.layCacheBytes,
  });
  const tree = LiveTree.from(first.snapshot, {
    content,
    totalBytes: diskMiB * 1024 * 1024,
    totalInodes: limits.inodes,
  });
  const layer = new Layer(tree, { sealed: first, content, store, isElsewhere: (id) => elsewhere.has(id) });
  const extractor = new TarExtractor(tree, { filter: ({ type }) => plain.has(type) });
  const slices = new WorkSlices();
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += limits.unpackPieceBytes) {
      const part = piece.subarray(at, at + limits.unpackPieceBytes);
      extract(() => extractor.push(part));
      await slices.end();
    }
    await layer.put(piece.length);
  }
  extract(() => extractor.end());
  const sealed = await layer.finish();
  await history.add(
    {
      tree: sealed.id,
      memory: undefined,
      parents: history.head === undefined ? [] : [history.head],
      cause: { type: 'manual', label },
      coverage: diskCoverage,
      changes: changeSummary(tree, first.snapshot),
      takenAtMs: Date.now(),
    },
    { objects: [] },
  );
  return sealed;
}

interface LayerParts {
  readonly sealed: SealedTree;
  readonly content: ContentCache;
  readonly store: SandboxStore;
  readonly isElsewhere: (id: ObjectId) => boolean;
}

/** A tree that is put into a store while it grows, so that memory need not hold what has come. */
class Layer {
  readonly #tree: LiveTree;
  readonly #parts: LayerParts;
  #sealed: SealedTree;
  #unsavedBytes = 0;

  constructor(tree: LiveTree, parts: LayerParts) {
    this.#tree = tree;
    this.#parts = parts;
    this.#sealed = parts.sealed;
  }

  /** Notes that the tree has grown. @throws storage-full */
  async put(bytes: number): Promise<void> {
    this.#unsavedBytes += bytes;
    if (this.#unsavedBytes >= limits.layUnsavedBytes) await this.finish();
  }

  /** All of it is stored when it resolves. @throws storage-full */
  async finish(): Promise<SealedTree> {
    const { content, store, isElsewhere } = this.#parts;
    const slices = sealSlices(this.#tree.snapshot(), { previous: this.#sealed });
    let slice = slices.next();
    for (; !slice.done; slice = slices.next()) {
      await store.put(slice.value.filter(({ id }) => !isElsewhere(id)));
    }
    this.#sealed = slice.value.sealed;
    this.#sealed.settle(content);
    this.#unsavedBytes = 0;
    return this.#sealed;
  }
}

/** @throws storage-full, invalid-argument, which name a file of the archive: data of a sandbox (H-9) */
function extract(work: () => void): void {
  try {
    work();
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const code = cause.message.endsWith('ENOSPC') ? 'storage-full' : 'invalid-argument';
    throw new SandboxError(code, `Cannot lay the archive over the files: ${cause.message}`, { cause });
  }
}

import { SandboxError } from '../../protocol/errors.ts';
import type { ArchiveReader } from '../../protocol/sandbox/transfer.ts';
import { toDisplayText } from '../../tree/content/byte-string.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { History } from '../../tree/history/history.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import { salvageTar } from '../../tree/tar/salvage-tar.ts';
import { type ImageObjects, noImageObjects } from '../image-objects.ts';
import { ObjectSource } from '../object-source.ts';
import { TarReader } from './tar-reader.ts';

export interface StoredArchiveOptions {
  /** HEAD by default. */
  readonly at?: string | undefined;
  /** The image, on its way; it may turn out not to be had, or not whole. */
  readonly image: Promise<ImageObjects>;
}

/**
 * The files of a snapshot as an archive, without a machine: the sandbox's own objects, and those of
 * the image as far as they can be had. What cannot be read is left out and named. The store is the
 * archive's once this resolves, which closes it.
 * @throws not-found; asset-unavailable, missing-object or corrupt-object when not even the root is there
 */
export async function openStoredArchive(
  store: SandboxStore,
  { at, image }: StoredArchiveOptions,
): Promise<ArchiveReader> {
  const opened = await image.catch((error) => SandboxError.from(error));
  const source = opened instanceof SandboxError ? noImageObjects : opened;
  const objects = new ObjectSource(store, source);
  const tree = treeOf(History.open(store, { isElsewhere: (id) => source.has(id) }), { at, opened });
  objects.verified(tree);
  const missing: string[] = [];
  const onMissing = (path: string) => missing.push(toDisplayText(path));
  const parts = salvageTar({ read: (id) => objects.verified(id) }, tree, { onMissing });
  return new TarReader(parts, {
    missing,
    readAhead: () => source.readAhead?.(),
    close: () => store.close(),
  });
}

function treeOf(
  history: History,
  { at, opened }: { at: string | undefined; opened: ImageObjects | SandboxError },
): ObjectId {
  if (at !== undefined && at !== 'HEAD') return history.get(history.resolve(at)).tree;
  if (history.head !== undefined) return history.get(history.head).tree;
  // Nothing was saved yet: its files are the image's.
  if (opened instanceof SandboxError) throw opened;
  if (opened.tree !== undefined) return opened.tree;
  throw new SandboxError('missing-object', 'Cannot export the files: the store has no snapshot');
}

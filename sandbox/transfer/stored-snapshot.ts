import type { ObjectId } from '../../tree/content/object-id.ts';
import { History } from '../../tree/history/history.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import type { ImageObjects } from '../image-objects.ts';
import { ObjectSource } from '../object-source.ts';

/** A tree in the store of a sandbox that nobody need have open. Whoever opens one disposes of it. */
export interface StoredSnapshot extends AsyncDisposable {
  readonly tree: ObjectId;
  /** @throws missing-object, corrupt-object, asset-unavailable */
  read(id: ObjectId): Uint8Array;
}

/**
 * The snapshot that `reference` means in a store, which is closed with it, or at once when there is none.
 * @throws not-found, conflict
 */
export async function openStoredSnapshot(
  store: SandboxStore,
  { reference, image }: { readonly reference: string; readonly image: ImageObjects },
): Promise<StoredSnapshot> {
  try {
    const history = History.open(store, { isElsewhere: (id) => image.has(id) });
    // Nothing was saved yet: its files are the image's.
    const base = reference === 'HEAD' && history.head === undefined ? image.tree : undefined;
    const tree = base ?? history.get(history.resolve(reference)).tree;
    const source = new ObjectSource(store, image);
    return { tree, read: (id) => source.read(id), [Symbol.asyncDispose]: () => store.close() };
  } catch (error) {
    await store.close();
    throw error;
  }
}

import type { ObjectId } from '../objects/object-id.ts';
import type { SandboxStore } from '../objects/sandbox-store.ts';
import { historyError, shortId } from './history-error.ts';
import { wholeObjects } from './lost-objects.ts';
import { encodeStreamHead, encodeStreamObject } from './object-stream.ts';
import type { SnapshotId } from './snapshot-record.ts';

/**
 * A snapshot and all it refers to as one stream: for a fork, and for a copy before the browser
 * evicts the store. What `exclude` accepts, with all behind it, is left out: the other side has
 * it. Checks before the first byte that nothing is lost.
 * @throws missing-object, corrupt-object
 */
export async function* exportSnapshot(
  store: SandboxStore,
  id: SnapshotId,
  options: { readonly exclude?: (id: ObjectId) => boolean } = {},
): AsyncGenerator<Uint8Array> {
  const isElsewhere = options.exclude ?? (() => false);
  const action = `Cannot export snapshot "${shortId(id)}"`;
  const ids = await wholeObjects(id, { store, isElsewhere, action });
  yield encodeStreamHead(id);
  for (const object of ids) {
    const bytes = store.readSync(object);
    // Chunks are read only now, and one may turn out to be damaged.
    if (!bytes) throw historyError('corrupt-object', `${action}: object ${shortId(object)} is damaged`);
    yield encodeStreamObject(bytes);
  }
  yield encodeStreamObject();
}

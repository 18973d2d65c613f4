import { SandboxError } from '../protocol/errors.ts';
import { History } from '../tree/history/history.ts';
import { importObjects } from '../tree/history/import-objects.ts';
import { decodeSnapshot } from '../tree/history/snapshot-codec.ts';
import type { SnapshotId, SnapshotRecord } from '../tree/history/snapshot-record.ts';
import type { ObjectId } from '../tree/objects/object-id.ts';
import type { SandboxStore } from '../tree/objects/sandbox-store.ts';

/**
 * Takes a snapshot and its objects into `store`, where it is HEAD then, under the id that it had where it
 * comes from. Nothing of `stream` is believed: ids are computed here.
 * @throws corrupt-object, missing-object, limit-exceeded, storage-full
 */
export async function receiveSnapshot(
  stream: AsyncIterable<Uint8Array>,
  store: SandboxStore,
  { isElsewhere }: { readonly isElsewhere: (id: ObjectId) => boolean },
): Promise<SnapshotId> {
  const { root } = await importObjects(stream, store, { isElsewhere }).catch((cause: unknown) => {
    throw asDamage(cause);
  });
  return History.open(store, { isElsewhere }).add(readRecord(root, store), { objects: [] });
}

/** An object that nothing refers to is one that was altered on its way: there is no other error of a parcel. */
function asDamage(cause: unknown): SandboxError {
  const error = SandboxError.from(cause);
  if (error.code !== 'invalid-argument') return error;
  return new SandboxError('corrupt-object', error.message, { details: { ...error.details }, cause });
}

function readRecord(root: ObjectId, store: SandboxStore): SnapshotRecord {
  const bytes = store.readSync(root);
  try {
    if (bytes) return decodeSnapshot(bytes);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SandboxError('corrupt-object', `Cannot take in the snapshot: ${why}`, { cause });
  }
  throw new SandboxError('missing-object', 'Cannot take in the snapshot: its record did not come');
}

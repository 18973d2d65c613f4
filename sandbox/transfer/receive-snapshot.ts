import { SandboxError } from '../../protocol/errors.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { History } from '../../tree/history/history.ts';
import { type ImportOptions, importObjects } from '../../tree/history/import-objects.ts';
import { decodeSnapshot } from '../../tree/history/snapshot-codec.ts';
import type { SnapshotId, SnapshotRecord } from '../../tree/history/snapshot-record.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';

type Elsewhere = Required<Pick<ImportOptions, 'elsewhere'>>;

/**
 * Takes a snapshot and its objects into `store`, where it is HEAD then, under the id that it had where it
 * comes from. Nothing of `stream` is believed: ids are computed here.
 * @throws corrupt-object, missing-object, limit-exceeded, storage-full
 */
export async function receiveSnapshot(
  stream: AsyncIterable<Uint8Array>,
  store: SandboxStore,
  { elsewhere }: Elsewhere,
): Promise<SnapshotId> {
  const record = await receiveObjects(stream, store, { elsewhere });
  return History.open(store, { isElsewhere: (id) => elsewhere.has(id) }).add(record, { objects: [] });
}

/** The first half of `receiveSnapshot`: what it answers is in no history yet. @throws as that does */
export async function receiveObjects(
  stream: AsyncIterable<Uint8Array>,
  store: SandboxStore,
  options: Elsewhere & Pick<ImportOptions, 'reachable'>,
): Promise<SnapshotRecord> {
  try {
    const { root } = await importObjects(stream, store, options);
    return readRecord(root, store);
  } catch (cause) {
    const error = SandboxError.from(cause);
    // What nothing refers to, or nobody can read, was altered on its way.
    if (error.code !== 'invalid-argument') throw error;
    throw new SandboxError('corrupt-object', error.message, { details: { ...error.details }, cause });
  }
}

function readRecord(root: ObjectId, store: SandboxStore): SnapshotRecord {
  const bytes = store.readSync(root);
  if (!bytes)
    throw new SandboxError('missing-object', 'Cannot take in the snapshot: its record did not come');
  try {
    return decodeSnapshot(bytes);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SandboxError('corrupt-object', `Cannot take in the snapshot: ${why}`, { cause });
  }
}

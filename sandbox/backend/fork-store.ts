import { exportSnapshot } from '../../tree/history/export-snapshot.ts';
import { refsOfOne } from '../../tree/history/history-refs.ts';
import type { ObjectsElsewhere } from '../../tree/history/import-objects.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import { receiveSnapshot } from '../transfer/receive-snapshot.ts';
import type { SandboxHost } from './sandbox-host.ts';

/** Where a fork comes from. */
export interface ForkSource {
  readonly store: SandboxStore;
  readonly snapshot: SnapshotId;
  /** Those of its image, if it has one. */
  readonly image: ObjectsElsewhere;
}

/**
 * Makes the store of sandbox `id`, with one snapshot of another in its history, which is HEAD. Where a
 * host can, the two have files in common, with whatever else is in them; otherwise the objects that the
 * snapshot needs are copied. On failure what is there of it is the caller's to remove.
 * @throws missing-object or corrupt-object, when objects are copied; storage-full
 */
export async function makeForkStore(
  host: Pick<SandboxHost, 'openStore' | 'cloneStore'>,
  id: string,
  { store, snapshot, image }: ForkSource,
): Promise<void> {
  if (await host.cloneStore?.(id, { from: store, refs: refsOfOne(snapshot) })) return;
  await using target = await host.openStore(id, { create: true });
  const stream = exportSnapshot(store, snapshot, { exclude: (object) => image.has(object) });
  await receiveSnapshot(stream, target, { elsewhere: image });
}

import type { ObjectId } from '../content/object-id.ts';
import type { SandboxStore } from '../objects/sandbox-store.ts';
import type { History } from './history.ts';
import { decodeSnapshot } from './snapshot-codec.ts';
import type { SnapshotId, SnapshotRecord } from './snapshot-record.ts';

/**
 * The trees of HEAD and its ancestors, the newest first, `most` at most. Only a hint: it includes records that are
 * stored but not in the history, as in a fork that shares its parent's files, and objects of these trees may be
 * missing.
 */
export function treesBefore(
  history: History,
  { store, most }: { readonly store: SandboxStore; readonly most: number },
): ObjectId[] {
  const trees: ObjectId[] = [];
  for (let id = history.head; id !== undefined && trees.length < most; ) {
    const record = readRecord(id, store);
    if (record === undefined) break;
    trees.push(record.tree);
    const [parent] = record.parents;
    const isStored = parent !== undefined && readRecord(parent, store) !== undefined;
    id = isStored || !history.has(id) ? parent : history.get(id).parents[0];
  }
  return trees;
}

function readRecord(id: SnapshotId, store: SandboxStore): SnapshotRecord | undefined {
  const bytes = store.readSync(id);
  try {
    return bytes && decodeSnapshot(bytes);
  } catch {
    return undefined;
  }
}

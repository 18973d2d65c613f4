import type { ObjectId } from '../objects/object-id.ts';
import type { SandboxStore } from '../objects/sandbox-store.ts';
import type { History } from './history.ts';
import { decodeSnapshot } from './snapshot-codec.ts';
import type { SnapshotId, SnapshotRecord } from './snapshot-record.ts';

/**
 * The trees of HEAD and of what it comes from, the newest first, `most` at most. A hint, no more: a record
 * that is in the store counts although the history has it not, which is so in a fork that shares its
 * parent's files, and objects that the trees need may be gone.
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

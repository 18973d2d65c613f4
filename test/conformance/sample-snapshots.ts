import type { ObjectId } from '../../tree/content/object-id.ts';
import type { SnapshotId, SnapshotRecord } from '../../tree/history/snapshot-record.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import type { StoredObject } from '../../tree/objects/object-store.ts';
import { sealTree } from '../../tree/objects/seal-tree.ts';

/** A record with a given tree; everything else has a plain value. */
export function sampleRecord(
  tree: ObjectId,
  changes: Partial<SnapshotRecord> & { readonly parents?: readonly SnapshotId[] } = {},
): SnapshotRecord {
  const no = (why: string) => ({ captured: false as const, why });
  return {
    tree,
    memory: undefined,
    parents: [],
    cause: { type: 'capture', commands: ['make'] },
    coverage: {
      files: { captured: true },
      memory: no('disk only'),
      processes: no('disk only'),
      sockets: no('disk only'),
      mounts: { captured: true },
    },
    changes: { created: 1, modified: 0, deleted: 0, paths: ['/a'] },
    takenAtMs: 1_700_000_000_000,
    ...changes,
  };
}

/** A sealed tree with these files in its root. */
export function sampleTree(files: Readonly<Record<string, Uint8Array>>): {
  id: ObjectId;
  objects: StoredObject[];
} {
  const tree = new LiveTree({ clock: () => ({ seconds: 1_700_000_000, nanoseconds: 0 }) });
  for (const [name, bytes] of Object.entries(files)) {
    const ino = tree.create(tree.root, name, { mode: 0o100644, uid: 0, gid: 0 });
    tree.write(ino, 0, bytes);
  }
  const { id, objects } = sealTree(tree.snapshot());
  return { id, objects };
}

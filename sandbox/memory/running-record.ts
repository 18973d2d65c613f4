import type { ObjectId } from '../../tree/content/object-id.ts';
import type {
  ChangeSummary,
  Coverage,
  SnapshotId,
  SnapshotRecord,
} from '../../tree/history/snapshot-record.ts';

/** Mounts are part of the kernel's memory. Whoever goes on from it is another one, at another time (H-7). */
export const machineCoverage: Coverage = {
  files: { captured: true },
  memory: { captured: true, renewed: 'clock, random numbers, machine id' },
  processes: { captured: true },
  sockets: { captured: false, why: 'who is at the other end, outside the machine, is not part of it' },
  mounts: { captured: true },
};

const noChanges: ChangeSummary = { created: 0, modified: 0, deleted: 0, paths: [] };

/** The machine as it runs, or ran, as a record that is in no history. */
export function runningRecord({
  tree,
  memory,
  parent,
  takenAtMs = Date.now(),
}: {
  readonly tree: ObjectId;
  readonly memory: ObjectId;
  readonly parent: SnapshotId;
  readonly takenAtMs?: number;
}): SnapshotRecord {
  return {
    ...{ tree, memory, parents: [parent], changes: noChanges },
    ...{ coverage: machineCoverage, takenAtMs },
    cause: { type: 'capture', commands: [] },
  };
}

import { SandboxError } from '../../protocol/errors.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { CommandLog } from '../capture/command-log.ts';
import type { SandboxMachine } from '../machine/sandbox-machine.ts';
import type { MachineSnapshotter } from '../memory/machine-snapshotter.ts';
import type { RestoreParts } from './restore-checkpoint.ts';
import type { StoredCheckpoints } from './stored-checkpoints.ts';

export interface RestoreStoredParts extends Omit<RestoreParts, 'snapshotter'> {
  readonly machineSnapshotter: MachineSnapshotter;
  readonly stored: StoredCheckpoints;
  readonly machine: Pick<SandboxMachine, 'goOnFrom'>;
  readonly commands: CommandLog;
  /** Stores the checkpoints that wait for it. */
  readonly store: () => Promise<unknown>;
}

/**
 * Restores a checkpoint of a machine that is no more: another machine goes on from its memory. All of it is read and
 * verified before anything is given up. The state before is captured and stored as a checkpoint itself; then HEAD and what a
 * start goes on from move together, so that a page which goes meanwhile finds one machine or the other.
 * @throws not-found, missing-object, corrupt-object, unsupported, storage-full, machine-failed
 */
export async function restoreStoredCheckpoint(
  id: number,
  parts: RestoreStoredParts,
): Promise<{ head: SnapshotId; previous: number | undefined }> {
  const { history, machineSnapshotter, tree, capturer, checkpoints, stored, machine } = parts;
  const { id: recordId, record } = stored.record(id);
  if (record.memory === undefined || !machine.goOnFrom) {
    const message = `Cannot restore checkpoint ${id}: there is no machine that goes on from stored memory`;
    throw new SandboxError('unsupported', message, { details: { feature: 'memory snapshots' } });
  }
  await history.assertWhole(recordId, { checkpoint: id });
  const { memory, restore } = machineSnapshotter.prepare({ tree: record.tree, memory: record.memory });
  await parts.sync();
  const { id: captured } = await capturer.capture();
  const previous = checkpoints.take({ type: 'before-restore' });
  await parts.store();
  const [then] = record.parents;
  if (then !== undefined && history.has(then)) await history.moveHead(then, { running: recordId });
  else if (captured !== history.head) await history.moveHead(captured);
  const head = then !== undefined && history.has(then) ? then : captured;
  try {
    await machine.goOnFrom(memory, restore);
  } finally {
    parts.commands.clear();
    tree.rearm();
    parts.onHead(head);
  }
  return { head, previous: previous && stored.has(previous.id) ? previous.id : undefined };
}

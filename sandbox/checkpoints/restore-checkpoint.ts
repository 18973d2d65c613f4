import type { History } from '../../tree/history/history.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import type { Capturer } from '../capture/capturer.ts';
import type { Snapshotter } from '../capture/snapshotter.ts';
import type { CheckpointHistory } from './checkpoint-history.ts';

export interface RestoreParts {
  readonly history: History;
  readonly snapshotter: Snapshotter;
  readonly tree: LiveTree;
  readonly capturer: Capturer;
  readonly checkpoints: CheckpointHistory;
  readonly sync: () => Promise<boolean>;
  readonly onHead: (head: SnapshotId) => void;
}

/**
 * Restores a checkpoint: the state before is captured, and a checkpoint itself; HEAD moves first, so that a page which goes
 * meanwhile finds one or the other.
 */
export async function restoreCheckpoint(
  id: number,
  { history, snapshotter, tree, capturer, checkpoints, sync, onHead }: RestoreParts,
): Promise<{ head: SnapshotId; previous: number | undefined }> {
  checkpoints.get(id); // Before anything is given up for it.
  await sync();
  const { id: captured } = await capturer.capture();
  const previous = checkpoints.take({ type: 'before-restore' });
  const checkpoint = checkpoints.get(id);
  const head = history.has(checkpoint.head) ? checkpoint.head : captured;
  if (head !== history.head) await history.moveHead(head);
  try {
    await checkpoints.restore(checkpoint);
  } finally {
    snapshotter.goOnFrom(head);
    tree.rearm();
    onHead(head);
  }
  return { head, previous: previous?.id };
}

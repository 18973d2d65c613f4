import type { History } from '../../tree/history/history.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import type { Capturer } from '../capture/capturer.ts';
import type { Snapshotter } from '../capture/snapshotter.ts';
import type { Recording } from './recording.ts';

export interface GoToMomentParts {
  readonly history: History;
  readonly snapshotter: Snapshotter;
  readonly tree: LiveTree;
  readonly capturer: Capturer;
  readonly recording: Recording;
  readonly sync: () => Promise<boolean>;
  readonly onHead: (head: SnapshotId) => void;
}

/**
 * Goes to a moment: what is left is captured, and a moment itself; HEAD moves first, so that a page which goes
 * meanwhile finds one or the other.
 */
export async function goToMoment(
  id: number,
  { history, snapshotter, tree, capturer, recording, sync, onHead }: GoToMomentParts,
): Promise<{ head: SnapshotId; left: number | undefined }> {
  recording.get(id); // Before anything is given up for it.
  await sync();
  const { id: captured } = await capturer.capture();
  const left = recording.take({ type: 'left' });
  const moment = recording.get(id);
  const head = history.has(moment.head) ? moment.head : captured;
  if (head !== history.head) await history.moveHead(head);
  try {
    await recording.goTo(moment);
  } finally {
    snapshotter.goOnFrom(head);
    tree.rearm();
    onHead(head);
  }
  return { head, left: left?.id };
}

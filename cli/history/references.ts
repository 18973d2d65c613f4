import { SandboxError } from '../../protocol/errors.ts';
import { resolveSnapshot } from '../../protocol/resolve-snapshot.ts';
import type { HistoryView, SnapshotInfo } from '../../protocol/sandbox/history.ts';
import { previousHeadTag } from '../../sdk/undo/previous-head.ts';

/** What an argument that names a snapshot may be, for the help. */
export const referenceHelp = 'a snapshot: HEAD, HEAD~2, a tag, an id, or the first digits of one';

/** The snapshot that a word on the command line names; `-` is what the last checkout left. @throws not-found, conflict */
export function findSnapshot(view: HistoryView, word: string): SnapshotInfo {
  const id = word === '-' ? previousHead(view) : resolveSnapshot(view, word);
  const found = view.snapshots.find((snapshot) => snapshot.id === id);
  if (found) return found;
  throw new SandboxError('not-found', `There is no snapshot ${word}: coppice log --all lists them`);
}

function previousHead({ snapshots }: HistoryView): string {
  const left = snapshots.find(({ tags }) => tags.includes(previousHeadTag));
  if (left) return left.id;
  throw new SandboxError(
    'not-found',
    'There is nothing to go back to: no coppice checkout or merge of this sandbox has left anything yet',
  );
}

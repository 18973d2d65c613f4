import type { SandboxConnection } from '../sandbox/connection.ts';
import type { SnapshotInfo } from '../sandbox/history.ts';
import { copyIntoHistory } from './copy-snapshot.ts';

type SnapshotId = SnapshotInfo['id'];

/** Snapshots that one move carries. */
const mostCarried = 64;

/**
 * Adds to the history of `into` what led to a snapshot of `connection`, and then the snapshot, so that it hangs in the
 * other history where it belongs. What has arrived when it is given up stays there, as snapshots like others.
 */
export async function copyAncestry(
  connection: SandboxConnection,
  options: {
    readonly snapshot: SnapshotId;
    readonly into: SandboxConnection;
    readonly onProgress: (movedBytes: number) => void;
    readonly signal: AbortSignal | undefined;
    /** The most snapshots that it carries; by default 64. */
    readonly most?: number;
  },
): Promise<void> {
  const { snapshot, into, onProgress, signal, most = mostCarried } = options;
  let before = 0;
  for (const id of await missingAncestors(connection, { snapshot, into, most })) {
    let moved = 0;
    const onPiece = (bytes: number): void => {
      moved = bytes;
      onProgress(before + bytes);
    };
    await copyIntoHistory(connection, { snapshot: id, into, onProgress: onPiece, signal });
    before += moved;
  }
}

/** From the first snapshot that the other history lacks to `snapshot`, `most` at most. */
async function missingAncestors(
  connection: SandboxConnection,
  { snapshot, into, most }: { snapshot: SnapshotId; into: SandboxConnection; most: number },
): Promise<SnapshotId[]> {
  const [here, there] = await Promise.all([connection.history.get(), into.history.get()]);
  const byId = new Map(here.snapshots.map((each) => [each.id, each]));
  const known = new Set(there.snapshots.map(({ id }) => id));
  const way = [snapshot];
  let [parent] = byId.get(snapshot)?.parents ?? [];
  while (parent !== undefined && !known.has(parent) && byId.has(parent) && way.length < most) {
    way.unshift(parent);
    [parent] = byId.get(parent)?.parents ?? [];
  }
  return way;
}

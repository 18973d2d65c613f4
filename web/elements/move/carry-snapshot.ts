import type { SandboxBackend, SandboxConnection, SandboxInfo } from '../../../protocol/sandbox.ts';
import { copyIntoHistory, copySnapshot } from '../../../sdk/copy-snapshot.ts';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';

/** Snapshots that one move carries. */
const mostCarried = 64;

/** Where a snapshot is to go: into the history of a sandbox that is open, or into a backend as a new one. */
export type Destination =
  | { readonly type: 'sandbox'; readonly connection: SandboxConnection }
  | {
      readonly type: 'backend';
      readonly backend: SandboxBackend;
      /** Of the machine there; what is usual there by default. */
      readonly memoryMiB: number | undefined;
    };

/**
 * Carries a snapshot from `connection` to another place, where it has the same id. Resolves to the
 * sandbox that it began, where it began one. An abort leaves nothing half-made there.
 */
export async function carrySnapshot(
  connection: SandboxConnection,
  options: {
    readonly snapshot: SnapshotId;
    readonly to: Destination;
    readonly onProgress: (movedBytes: number) => void;
    readonly signal: AbortSignal;
  },
): Promise<SandboxInfo | undefined> {
  const { to, ...rest } = options;
  if (to.type === 'sandbox') return carryWay(connection, { ...rest, into: to.connection });
  const { imageDigest, architecture, name, diskMiB } = await connection.info();
  const memory = to.memoryMiB === undefined ? {} : { memoryMiB: to.memoryMiB };
  const programs = architecture === undefined ? {} : { architecture };
  const intake = { imageDigest, name, diskMiB, ...programs, ...memory };
  return copySnapshot(connection, { ...rest, to: () => to.backend.openIntake(intake) });
}

/**
 * Carries what led to a snapshot before the snapshot itself, so that it hangs in the other history where it
 * belongs. What has arrived when it is given up stays there, as snapshots like others.
 */
async function carryWay(
  connection: SandboxConnection,
  options: {
    readonly snapshot: SnapshotId;
    readonly into: SandboxConnection;
    readonly onProgress: (movedBytes: number) => void;
    readonly signal: AbortSignal;
  },
): Promise<undefined> {
  const { snapshot, into, onProgress, signal } = options;
  let before = 0;
  for (const id of await unknownWay(connection, { snapshot, into })) {
    let moved = 0;
    const onPiece = (bytes: number): void => {
      moved = bytes;
      onProgress(before + bytes);
    };
    await copyIntoHistory(connection, { snapshot: id, into, onProgress: onPiece, signal });
    before += moved;
  }
}

/** From the first snapshot that the other history lacks to `snapshot`, `mostCarried` at most. */
async function unknownWay(
  connection: SandboxConnection,
  { snapshot, into }: { snapshot: SnapshotId; into: SandboxConnection },
): Promise<SnapshotId[]> {
  const [here, there] = await Promise.all([connection.history(), into.history()]);
  const byId = new Map(here.snapshots.map((each) => [each.id, each]));
  const known = new Set(there.snapshots.map(({ id }) => id));
  const way = [snapshot];
  let [parent] = byId.get(snapshot)?.parents ?? [];
  while (parent !== undefined && !known.has(parent) && byId.has(parent) && way.length < mostCarried) {
    way.unshift(parent);
    [parent] = byId.get(parent)?.parents ?? [];
  }
  return way;
}

/**
 * About how many bytes will move: what the files hold that changed since the newest snapshot that is at
 * the other end too, or since the image. Of an edited file only a part moves. 0 when it cannot be told.
 */
export async function expectBytes(
  connection: SandboxConnection,
  { snapshot, to }: { snapshot: SnapshotId; to: Destination },
): Promise<number> {
  try {
    const { snapshots } = await connection.history();
    const there = to.type === 'sandbox' ? (await to.connection.history()).snapshots : [];
    const known = new Set(there.map(({ id }) => id));
    const common =
      snapshots.findLast(({ id }) => known.has(id)) ?? snapshots.find(({ parents }) => parents.length === 0);
    if (common === undefined) return 0;
    const changes = await connection.diff(common.id, snapshot);
    return changes.reduce((sum, change) => sum + (change.type === 'deleted' ? 0 : change.sizeBytes), 0);
  } catch {
    return 0;
  }
}

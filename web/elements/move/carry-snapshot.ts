import type { SandboxBackend, SandboxConnection, SandboxInfo } from '../../../protocol/sandbox.ts';
import { copySnapshot } from '../../../sdk/copy-snapshot.ts';
import { copyWay } from '../../../sdk/copy-way.ts';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';

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
  if (to.type === 'sandbox') {
    await copyWay(connection, { ...rest, into: to.connection });
    return undefined;
  }
  const { imageDigest, architecture, name, diskMiB } = await connection.info();
  const memory = to.memoryMiB === undefined ? {} : { memoryMiB: to.memoryMiB };
  const programs = architecture === undefined ? {} : { architecture };
  const intake = { imageDigest, name, diskMiB, ...programs, ...memory };
  return copySnapshot(connection, { ...rest, to: () => to.backend.openIntake(intake) });
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

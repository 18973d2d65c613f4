import type { SandboxConnection } from '../sandbox/connection.ts';
import type { SnapshotInfo } from '../sandbox/history.ts';

/**
 * An estimate of the bytes that a snapshot has to be sent with: the size of the files that changed since the newest snapshot that
 * the receiver `into` has too, or since the first one where it becomes a new sandbox. Only parts of an edited file are sent, and all of it is compressed. 0 if unknown.
 */
export async function expectBytes(
  connection: SandboxConnection,
  { snapshot, into }: { readonly snapshot: SnapshotInfo['id']; readonly into: SandboxConnection | undefined },
): Promise<number> {
  try {
    const { snapshots } = await connection.history.get();
    const there = into ? (await into.history.get()).snapshots : [];
    const known = new Set(there.map(({ id }) => id));
    const common =
      snapshots.findLast(({ id }) => known.has(id)) ?? snapshots.find(({ parents }) => parents.length === 0);
    if (common === undefined) return 0;
    const changes = await connection.history.diff({ from: common.id, to: snapshot });
    return changes.reduce((sum, change) => sum + (change.type === 'deleted' ? 0 : change.sizeBytes), 0);
  } catch {
    return 0;
  }
}

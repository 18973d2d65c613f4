import { limits } from '../../../protocol/limits.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { Progress } from '../../../protocol/sandbox/progress.ts';
import type { SandboxInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import { carryFiles } from '../../../sdk/routing/carry-files.ts';
import type { NamedPlace } from '../../../sdk/routing/place.ts';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';

/** A sandbox that was made by a move, open. */
export interface CarriedSandbox {
  readonly info: SandboxInfo;
  readonly connection: SandboxConnection;
  /** What it has begun with. */
  readonly snapshot: SnapshotId;
}

/**
 * Makes a sandbox with an image that goes on from the files of one without, and opens it. Its caller closes it. If it fails or
 * is aborted, nothing is left.
 * @throws as `carryFiles` and `SandboxBackend.open`
 */
export async function carryUp(
  from: SandboxConnection,
  options: {
    readonly snapshot: SnapshotId;
    readonly to: NamedPlace;
    readonly onProgress: (progress: Progress) => void;
    readonly signal: AbortSignal;
  },
): Promise<CarriedSandbox> {
  const { snapshot, to, onProgress, signal } = options;
  const info = await from.info.get();
  const ending = ' machine';
  const name = info.name.slice(0, limits.sandboxNameCharacters - ending.length) + ending;
  const made = await carryFiles(
    { connection: from, info: { ...info, name } },
    { to, snapshot, settings: {}, label: `from “${info.name}”`, signal },
  );
  let connection: SandboxConnection | undefined;
  try {
    connection = await to.backend.open({ id: made.id, signal }, onProgress);
    const { head } = await connection.history.get();
    return { info: made, connection, snapshot: head };
  } catch (error) {
    await connection?.close().catch(() => undefined);
    // What failed counts.
    await to.backend.delete({ id: made.id }).catch(() => undefined);
    throw error;
  }
}

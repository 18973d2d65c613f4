import { copyAncestry } from '../../../protocol/copy/copy-ancestry.ts';
import { copySnapshot } from '../../../protocol/copy/copy-snapshot.ts';
import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { SandboxInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import { importOptions } from '../../../sdk/import-options.ts';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';

/** Where a snapshot is to go: into the history of a sandbox that is open, or into a backend as a new one. */
export type Destination =
  | { readonly type: 'sandbox'; readonly connection: SandboxConnection }
  | {
      readonly type: 'backend';
      readonly backend: SandboxBackend;
      /** Memory of the new machine; the receiver's default if absent. */
      readonly memoryMiB: number | undefined;
    };

/**
 * Copies a snapshot from `connection` to another backend, where it has the same id. Resolves to the new sandbox, if
 * it created one. An abort leaves nothing incomplete there.
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
    await copyAncestry(connection, { ...rest, into: to.connection });
    return undefined;
  }
  const snapshotImport = importOptions(await connection.info.get(), { memoryMiB: to.memoryMiB });
  return copySnapshot(connection, { ...rest, to: () => to.backend.openImport(snapshotImport) });
}

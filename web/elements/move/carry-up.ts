import { limits } from '../../../protocol/limits.ts';
import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { Progress } from '../../../protocol/sandbox/progress.ts';
import type { TreeRef } from '../../../protocol/sandbox/refs.ts';
import type { RuntimeName, SandboxInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import type { ArchiveOptions } from '../../../protocol/sandbox/transfer.ts';
import { Archive } from '../../../sdk/archive.ts';
import { History } from '../../../sdk/history.ts';
import { carryFiles } from '../../../sdk/routing/carry-files.ts';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';

/** A sandbox that was made by a move, open. */
export interface CarriedSandbox {
  readonly info: SandboxInfo;
  readonly connection: SandboxConnection;
  /** What it has begun with. */
  readonly snapshot: SnapshotId;
}

/**
 * Makes a sandbox with an image that goes on from the files of one without. Its caller closes it. If it fails or is aborted,
 * the new sandbox is deleted, unless that fails before it has told its id.
 */
export async function carryUp(
  from: SandboxConnection,
  options: {
    readonly snapshot: SnapshotId;
    readonly backend: SandboxBackend;
    /** The backend's usual ones by default. */
    readonly runtime?: RuntimeName | undefined;
    readonly image?: string | undefined;
    readonly onProgress: (progress: Progress) => void;
    readonly signal: AbortSignal;
  },
): Promise<CarriedSandbox> {
  const { snapshot, backend, runtime, image, onProgress, signal } = options;
  const { name } = await from.info.get();
  const ending = ' machine';
  const wanted = {
    name: name.slice(0, limits.sandboxNameCharacters - ending.length) + ending,
    ...(runtime ? { runtime } : {}),
    ...(image ? { image } : {}),
  };
  const connection = await backend.create({ signal, ...wanted }, onProgress);
  let made: SandboxInfo | undefined;
  try {
    made = await connection.info.get();
    const source = {
      history: new History(from),
      exportTar: async ({ at = 'now', ...rest }: ArchiveOptions & { readonly at?: TreeRef } = {}) =>
        new Archive(await from.transfer.exportTar({ at, ...rest })),
    };
    await carryFiles(source, { to: { info: made, connection }, snapshot, signal });
    const { id } = await connection.history.createSnapshot({ label: `from the shell ${name}` });
    return { info: made, connection, snapshot: id };
  } catch (error) {
    await connection.close().catch(() => undefined);
    // What failed counts.
    if (made !== undefined) await backend.delete({ id: made.id }).catch(() => undefined);
    throw error;
  }
}

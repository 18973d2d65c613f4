import { unpackArchive } from '../../../protocol/archive/unpack-archive.ts';
import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { SandboxInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import { Archive } from '../../../sdk/archive.ts';
import type { ShellContext } from '../../../sdk/shell-context.ts';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';

/** The directory that is copied to a sandbox of another image, which has system files of its own. */
const home = '/home/user';

/**
 * Makes a sandbox of another image on a host, with the files of the home directory of a snapshot. Resolves when it
 * exists, not open; if it fails or is aborted, the new sandbox is deleted.
 */
export async function carryHome(
  connection: SandboxConnection,
  options: {
    readonly snapshot: SnapshotId;
    readonly backend: SandboxBackend;
    readonly image: string;
    readonly onProgress: (movedBytes: number) => void;
    readonly signal: AbortSignal;
  },
): Promise<SandboxInfo> {
  const { snapshot, backend, image, onProgress, signal } = options;
  const { name, diskMiB } = await connection.info.get();
  const made = await backend.create({ image, name, diskMiB, signal }, () => {});
  const info = await made.info.get().catch(async (error: unknown) => {
    await made.close().catch(() => undefined);
    throw error;
  });
  try {
    const files = new Archive(await connection.transfer.exportTar({ at: snapshot, path: home }));
    await unpackArchive(made, counted(files, onProgress), { path: home, signal });
    await made.close();
    return info;
  } catch (error) {
    await made.close().catch(() => undefined);
    await backend.delete({ id: info.id }).catch(() => undefined); // What failed counts.
    throw error;
  }
}

/**
 * Where the shell starts there: in the same directory if that is below the home, and without its variables, which
 * belong to another system.
 */
export function placeAtHome(place: ShellContext | undefined): ShellContext | undefined {
  if (place === undefined || !`${place.cwd}/`.startsWith(`${home}/`)) return undefined;
  return { cwd: place.cwd, envs: {} };
}

async function* counted(
  pieces: AsyncIterable<Uint8Array>,
  onProgress: (movedBytes: number) => void,
): AsyncGenerator<Uint8Array, void> {
  let movedBytes = 0;
  for await (const piece of pieces) {
    yield piece;
    movedBytes += piece.length;
    onProgress(movedBytes);
  }
}

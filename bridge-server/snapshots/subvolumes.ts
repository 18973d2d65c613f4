import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '../../protocol/limits.ts';
import { runHostTool } from './host-tool.ts';
import { removeFolder } from './remove-folder.ts';

/** Makes an empty subvolume of btrfs, which looks like a folder. @throws storage-full, internal */
export async function createSubvolume(path: string): Promise<void> {
  await btrfs(['subvolume', 'create', path]);
}

/**
 * Makes `to` of the files that `from` has now, in constant time plus what is not yet on disk of
 * them: a snapshot is part of a commit (btrfs-subvolume(8)). @throws storage-full, internal
 */
export async function snapshotSubvolume(
  from: string,
  to: string,
  { isReadOnly }: { readonly isReadOnly: boolean },
): Promise<void> {
  await btrfs(['subvolume', 'snapshot', ...(isReadOnly ? ['-r'] : []), from, to]);
}

/** Deletes a subvolume, if it is there; what it alone had is freed by the kernel later. @throws internal */
export async function deleteSubvolume(path: string): Promise<void> {
  if ((await lstat(path).catch(() => undefined)) === undefined) return;
  try {
    await btrfs(['subvolume', 'delete', path]);
  } catch {
    // An ordinary user deletes none that is read-only.
    await btrfs(['property', 'set', '-t', 'subvol', path, 'ro', 'false']);
    await btrfs(['subvolume', 'delete', path]);
  }
}

/** Empties a folder of subvolumes, and of what else is there. @throws internal */
export async function emptyOfSubvolumes(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    await deleteSubvolume(path).catch(() => removeFolder(path));
  }
}

async function btrfs(args: readonly string[]): Promise<void> {
  await runHostTool('btrfs', args, { timeoutMs: limits.subvolumeTimeoutMs });
}

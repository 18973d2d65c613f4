import { randomUUID } from 'node:crypto';
import { mkdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostAbilities } from './kept-metadata.ts';
import { probeOverlay } from './probe-overlay.ts';
import { removeFolder } from './remove-folder.ts';
import { createSubvolume, deleteSubvolume, emptyOfSubvolumes, snapshotSubvolume } from './subvolumes.ts';

/** What statfs(2) says of btrfs (linux/magic.h, BTRFS_SUPER_MAGIC). */
const btrfsMagic = 0x9123683e;

/**
 * Why the upper directories of roots in `folder` cannot be subvolumes of btrfs, or `undefined` when
 * they can: one is made, snapshotted twice, mounted and deleted, which an ordinary user may do only
 * where btrfs is mounted with `user_subvol_rm_allowed`.
 */
export async function probeBtrfs(folder: string, abilities: HostAbilities): Promise<string | undefined> {
  const probe = join(folder, `probe-${randomUUID()}`);
  const [made, held, copy] = [join(probe, 'made'), join(probe, 'held'), join(probe, 'copy')];
  try {
    if ((await statfs(folder)).type !== btrfsMagic) return 'its folder is not on btrfs';
    await mkdir(probe);
    await createSubvolume(made);
    await snapshotSubvolume(made, held, { isReadOnly: true });
    await snapshotSubvolume(held, copy, { isReadOnly: false });
    const failure = await probeOverlay(copy, abilities);
    for (const path of [copy, held, made]) await deleteSubvolume(path);
    return failure && `overlay mounts do not work on it: ${failure}`;
  } catch (error) {
    const { message } = error as Error;
    return message.includes('ENOENT') ? 'there is no tool for it; install btrfs-progs' : message;
  } finally {
    await emptyOfSubvolumes(probe).catch(() => {});
    await removeFolder(probe);
  }
}

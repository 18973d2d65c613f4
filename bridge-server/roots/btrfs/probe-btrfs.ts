import { randomUUID } from 'node:crypto';
import { mkdir, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { probeOverlay } from '../overlay/probe-overlay.ts';
import { removeFolder } from '../remove-folder.ts';
import type { HostAbilities } from '../supported-metadata.ts';
import { Subvolumes } from './subvolumes.ts';

/** What statfs(2) says of btrfs (linux/magic.h, BTRFS_SUPER_MAGIC). */
const btrfsMagic = 0x9123683e;

const probePrefix = 'probe-';

/**
 * Why the upper directories of roots in `folder` cannot be subvolumes of btrfs, or `undefined` when
 * they can: one is made, snapshotted twice, mounted and deleted, which an ordinary user may do only
 * where btrfs is mounted with `user_subvol_rm_allowed`.
 */
export async function probeBtrfs(
  folder: string,
  { abilities, launcher }: { readonly abilities: HostAbilities; readonly launcher: string },
): Promise<string | undefined> {
  await using subvolumes = new Subvolumes(launcher);
  const probe = join(folder, `${probePrefix}${randomUUID()}`);
  const [made, held, copy] = [join(probe, 'made'), join(probe, 'held'), join(probe, 'copy')];
  try {
    if ((await statfs(folder)).type !== btrfsMagic) return 'its folder is not on btrfs';
    await mkdir(probe);
    await subvolumes.create(made);
    await subvolumes.snapshot(made, held, { isReadOnly: true });
    await subvolumes.snapshot(held, copy, { isReadOnly: false });
    const failure = await probeOverlay(copy, abilities);
    for (const path of [copy, held, made]) await subvolumes.delete(path);
    return failure && `overlay mounts do not work on it: ${failure}`;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await subvolumes.empty(probe).catch(() => {});
    await removeFolder(probe);
  }
}

/** Removes what a process that ended meanwhile has left of a probe in `folder`. */
export async function removeLeftProbes(folder: string, subvolumes: Subvolumes): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(probePrefix)) continue;
    await subvolumes.empty(join(folder, name));
    await removeFolder(join(folder, name));
  }
}

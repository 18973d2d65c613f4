import { randomUUID } from 'node:crypto';
import { mkdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';
import { ownPrivileges } from '../privileges.ts';
import { runHostTool } from '../programs/host-tool.ts';
import { Subvolumes } from './btrfs/subvolumes.ts';
import { DiskQuotas, type QuotaKind } from './disk-quotas.ts';
import { removeFolder } from './remove-folder.ts';

/** What statfs(2) says of btrfs (linux/magic.h, BTRFS_SUPER_MAGIC). */
const btrfsMagic = 0x9123683e;

const mib = 1_048_576;

export type FoundQuotas =
  /** `quotas` are the caller's to dispose of. */
  | { readonly type: 'found'; readonly kind: QuotaKind; readonly quotas: DiskQuotas }
  | { readonly type: 'missing'; readonly reason: string };

/**
 * Finds out what of the kernel can hold roots below `folder` to their disks, by having it refuse a file to who
 * may not go past a quota. `isBtrfs` where they are subvolumes.
 */
export async function probeQuotas(
  folder: string,
  { launcher, isBtrfs }: { readonly launcher: string | undefined; readonly isBtrfs?: boolean | undefined },
): Promise<FoundQuotas> {
  if (launcher === undefined) return missing('nobody said where the launcher is');
  if (ownPrivileges() !== 'root') return missing('only a bridge that runs as root sets quotas');
  const found = await statfs(folder).catch((error: Error) => error);
  if (found instanceof Error) return missing(found.message);
  const onBtrfs = found.type === btrfsMagic;
  const kind = (isBtrfs ?? onBtrfs) ? 'btrfs-quota' : 'project-quota';
  if (onBtrfs && kind === 'project-quota') return missing('btrfs has quotas of subvolumes only');
  const probe = join(folder, `probe-${randomUUID()}`);
  await using subvolumes = new Subvolumes(launcher);
  await using stack = new AsyncDisposableStack();
  const quotas = stack.use(new DiskQuotas(kind, { launcher }));
  try {
    if (kind === 'btrfs-quota') await subvolumes.create(probe);
    else await mkdir(probe);
    await quotas.prepare(probe);
    await quotas.allow(probe, { roomBytes: mib, totalBytes: mib });
    const failure = await fillPast(join(probe, 'file'));
    if (failure !== undefined) return missing(failure);
    stack.move();
    return { type: 'found', kind, quotas };
  } catch (error) {
    return missing(`${remedies[kind]} (${SandboxError.from(error).message})`);
  } finally {
    await (kind === 'btrfs-quota' ? subvolumes.remove(probe) : removeFolder(probe)).catch(() => undefined);
    await quotas.forget(probe, folder).catch(() => undefined);
  }
}

const remedies: Readonly<Record<QuotaKind, string>> = {
  'project-quota':
    'its file system counts no projects: an ext4 made with `-O quota,project -E quotatype=prjquota`, or an XFS, mounted with `prjquota`, does',
  'btrfs-quota': 'quotas are off there: `btrfs quota enable` and its folder switch them on',
};

/** Why a file of 4 MiB fits where 1 MiB may be. Root may go past quotas, but for this right. */
async function fillPast(path: string): Promise<string | undefined> {
  const write = ['dd', 'if=/dev/zero', `of=${path}`, 'bs=65536', 'count=64', 'conv=fsync', 'status=none'];
  try {
    await runHostTool('setpriv', ['--bounding-set=-sys_resource', '--', ...write]);
    return 'its quotas are counted and not enforced: it is to be mounted with `prjquota`';
  } catch (error) {
    const { code, message } = SandboxError.from(error);
    return code === 'storage-full' ? undefined : message;
  }
}

function missing(reason: string): FoundQuotas {
  return { type: 'missing', reason };
}

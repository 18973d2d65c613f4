import type { InodeView } from '../../../tree/live/file-tree.ts';
import type { DiskStat } from '../disk-node.ts';
import { type HostAbilities, supportedId } from '../supported-metadata.ts';

/** What a disk says of a file on which it was put as a tree has it, as far as disks differ not. */
export function expectedStat(inode: InodeView, abilities: HostAbilities): DiskStat {
  const { mode, uid, gid, nlink, rdev, sizeBytes } = inode;
  return {
    ino: 0n,
    mode,
    uid: supportedId(uid, abilities),
    gid: supportedId(gid, abilities),
    nlink,
    rdev,
    sizeBytes,
    mtimeNs: BigInt(inode.mtimeSeconds) * 1_000_000_000n + BigInt(inode.mtimeNanoseconds),
    ctimeNs: 0n,
  };
}

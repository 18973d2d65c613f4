import type { ByteString } from '../../tree/content/byte-string.ts';
import { fileMode, isDirectory, isFile } from '../../tree/live/file-mode.ts';
import type { TreeEntry } from '../../tree/objects/tree-entry.ts';
import { idCount, type Privileges } from '../privileges.ts';

export type Xattrs = ReadonlyMap<ByteString, Uint8Array>;

/** What the file system below a root, and our rights to it, can hold of a tree's metadata. */
export interface HostAbilities {
  /** Device nodes, and marks of overlay that processes cannot make, need the host's root. */
  readonly isRoot: boolean;
  /** Owners and file capabilities need ids of others. */
  readonly hasIds: boolean;
  /** Where it has none: whose files are in a tree that a jail has made; root's (0) by default. */
  readonly soleOwner?: number;
}

/** What the folder of a jail without namespaces can hold, whoever the bridge is: its one id is the image's `user`. */
export const ownIdAbilities: HostAbilities = { isRoot: false, hasIds: false, soleOwner: 1000 };

/** What a process with these privileges can put on disk. */
export function abilitiesOf(privileges: Privileges): HostAbilities {
  return { isRoot: privileges === 'root', hasIds: privileges !== 'one-id' };
}

/** What does not reach the disk for want of rights, for people. */
export function metadataGaps({ isRoot, hasIds }: HostAbilities): string[] {
  if (isRoot) return [];
  if (hasIds) return [`owners above ${idCount - 1} are nobody`, 'device nodes are missing'];
  return [
    'files belong to the user that runs the bridge, whatever their owner',
    'device nodes are missing',
    'file capabilities are missing',
  ];
}

/** The id of Linux's `nobody`, which is what others are that a namespace has no id for. */
const nobody = 65_534;

/** What an owner's or a group's id is on disk. */
export function supportedId(id: number, { isRoot }: HostAbilities): number {
  return !isRoot && id >= idCount ? nobody : id;
}

/** ext4 keeps an inode's attributes in one block of 4 KiB, and overlay adds some of its own. */
const xattrBytes = 3_500;
const xattrHeaderBytes = 20;
const noXattrs: Xattrs = new Map();

/**
 * The extended attributes of an inode that a disk holds. The rest (those of a kernel's own, sizes
 * and values that Linux refuses) stays in the tree and is never asked of the disk. `trusted.overlay`
 * and `user.overlay` mean something to overlay, so a tree cannot bring them into a layer.
 */
export function supportedXattrs(of: Pick<TreeEntry, 'mode' | 'xattrs'>, abilities: HostAbilities): Xattrs {
  if (of.xattrs.size === 0) return noXattrs;
  let total = 0;
  const kept = new Map<ByteString, Uint8Array>();
  for (const [name, value] of of.xattrs) {
    if (!isSupportedName(name, of.mode)) continue;
    if (name === capability && !(abilities.hasIds && isCapability(value))) continue;
    total += xattrHeaderBytes + name.length + value.length;
    kept.set(name, value);
  }
  return total > xattrBytes ? noXattrs : kept;
}

const capability = 'security.capability';

/** Whether an attribute of that name is the sandbox's, on a file of that mode; Linux has `user.` on these two only. */
export function isSupportedName(name: ByteString, mode: number): boolean {
  if (name === capability) return isFile(mode);
  return (isFile(mode) || isDirectory(mode)) && name.startsWith('user.') && !name.startsWith('user.overlay.');
}

/**
 * Whether attributes that a sandbox can set, and that no tree has, are among those of a file: access
 * control lists, properties of btrfs, and names of which overlay uses others when the bridge is root.
 */
export function hasUnsupported(xattrs: Xattrs, { isRoot }: HostAbilities): boolean {
  for (const name of xattrs.keys()) {
    if (name.startsWith('system.') || name.startsWith('btrfs.')) return true;
    if (isRoot && name.startsWith('user.overlay.')) return true;
  }
  return false;
}

/** Revision 2, the one that reads back as it was written (linux/capability.h, VFS_CAP_REVISION_2). */
function isCapability(value: Uint8Array): boolean {
  return (
    value.length === 20 &&
    value[3] === 2 &&
    value[2] === 0 &&
    value[1] === 0 &&
    ((value[0] ?? 0) & 0xfe) === 0
  );
}

/** Whether an entry of a tree can be on disk at all. A device 0:0 would be a whiteout of overlay. */
export function isSupportedEntry(
  entry: Pick<TreeEntry, 'mode' | 'rdev'>,
  { isRoot }: HostAbilities,
): boolean {
  switch (entry.mode & fileMode.typeMask) {
    case fileMode.socket:
      return false;
    case fileMode.blockDevice:
      return isRoot;
    case fileMode.characterDevice:
      return isRoot && entry.rdev !== 0;
    default:
      return true;
  }
}

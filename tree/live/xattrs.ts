import type { ByteString } from '../content/byte-string.ts';
import { treeLimits } from '../limits.ts';
import { errno } from './errno.ts';
import type { Result } from './file-tree.ts';
import type { Inode } from './inode.ts';

/** Whether an extended attribute may be set: 0, `-ERANGE`, `-EINVAL` or `-ENOSPC`. */
export function checkXattr(inode: Inode, name: ByteString, valueBytes: number): Result {
  if (name === '' || name.length > treeLimits.xattrNameBytes) return -errno.ERANGE;
  if (/\0|[^\0-\xff]/.test(name)) return -errno.EINVAL;
  return xattrBytesAfter(inode, name, valueBytes) > treeLimits.xattrBytes ? -errno.ENOSPC : 0;
}

/** What the attributes of `inode` take once `name` has a value of `valueBytes`. */
export function xattrBytesAfter(inode: Inode, name: ByteString, valueBytes: number): number {
  const old = inode.xattrs.get(name);
  const freed = old === undefined ? 0 : name.length + old.length;
  return inode.xattrBytes - freed + name.length + valueBytes;
}

/** Sets an attribute of an owned inode; `value` becomes the inode's. */
export function putXattr(inode: Inode, name: ByteString, value: Uint8Array): void {
  inode.xattrBytes = xattrBytesAfter(inode, name, value.length);
  inode.xattrs = new Map(inode.xattrs).set(name, value);
}

/** Removes an attribute, which exists, from an owned inode. */
export function deleteXattr(inode: Inode, name: ByteString): void {
  inode.xattrBytes = xattrBytesAfter(inode, name, 0) - name.length;
  const rest = new Map(inode.xattrs);
  rest.delete(name);
  inode.xattrs = rest;
}

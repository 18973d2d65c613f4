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
  ownXattrs(inode).set(name, value);
}

/** Removes an attribute, which exists, from an owned inode. */
export function deleteXattr(inode: Inode, name: ByteString): void {
  inode.xattrBytes = xattrBytesAfter(inode, name, 0) - name.length;
  ownXattrs(inode).delete(name);
}

/** Attributes that only the inode of their epoch changes: thousands may be set one by one. */
class OwnXattrs extends Map<ByteString, Uint8Array> {
  readonly epoch: number;

  constructor(epoch: number, xattrs: Iterable<[ByteString, Uint8Array]>) {
    super(xattrs);
    this.epoch = epoch;
  }
}

/** The attributes of an owned inode, which may be shared with one of before, as some that may be changed. */
function ownXattrs(inode: Inode): OwnXattrs {
  const { xattrs, epoch } = inode;
  if (xattrs instanceof OwnXattrs && xattrs.epoch === epoch) return xattrs;
  const own = new OwnXattrs(epoch, xattrs);
  inode.xattrs = own;
  return own;
}

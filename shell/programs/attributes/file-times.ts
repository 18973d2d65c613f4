import type { InodeView } from '../../../tree/live/file-tree.ts';

export type TimeKey = 'mtime' | 'atime' | 'ctime';

/** The one of its times that a listing shows or sorts by. */
export function timeOf(inode: InodeView, time: TimeKey): { seconds: number; nanoseconds: number } {
  switch (time) {
    case 'atime':
      return { seconds: inode.atimeSeconds, nanoseconds: inode.atimeNanoseconds };
    case 'ctime':
      return { seconds: inode.ctimeSeconds, nanoseconds: inode.ctimeNanoseconds };
    default:
      return { seconds: inode.mtimeSeconds, nanoseconds: inode.mtimeNanoseconds };
  }
}

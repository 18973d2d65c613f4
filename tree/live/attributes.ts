import { treeLimits } from '../limits.ts';
import { fileMode } from './file-mode.ts';
import type { AttributeChange, Timestamp } from './file-tree.ts';
import type { Inode } from './inode.ts';

/** Whether owners fit 32 bits and times are times. */
export function isAttributeChange(change: AttributeChange): boolean {
  const owners = [change.uid ?? 0, change.gid ?? 0];
  const times = [change.atime, change.mtime, change.ctime].filter((time) => typeof time === 'object');
  return owners.every((id) => id === id >>> 0) && times.every(isTime);
}

/** Changes an owned inode; ctime, unless it is given, and version move whatever changes. */
export function applyAttributes(inode: Inode, change: AttributeChange, now: Timestamp): void {
  if (change.permissions !== undefined) {
    inode.mode = (inode.mode & fileMode.typeMask) | (change.permissions & fileMode.permissions);
  }
  inode.uid = change.uid ?? inode.uid;
  inode.gid = change.gid ?? inode.gid;
  if (change.atime !== undefined) {
    const time = change.atime === 'now' ? now : change.atime;
    inode.atimeSeconds = clampSeconds(time.seconds);
    inode.atimeNanoseconds = time.nanoseconds;
  }
  if (change.mtime !== undefined) {
    const time = change.mtime === 'now' ? now : change.mtime;
    inode.mtimeSeconds = clampSeconds(time.seconds);
    inode.mtimeNanoseconds = time.nanoseconds;
  }
  inode.changed(now);
  if (change.ctime !== undefined) {
    inode.ctimeSeconds = clampSeconds(change.ctime.seconds);
    inode.ctimeNanoseconds = change.ctime.nanoseconds;
  }
}

function isTime({ seconds, nanoseconds }: Timestamp): boolean {
  return !Number.isNaN(seconds) && nanoseconds === nanoseconds >>> 0 && nanoseconds < 1_000_000_000;
}

/** Linux clamps a time to what the file system can hold. */
function clampSeconds(seconds: number): number {
  return Math.max(-treeLimits.timeSeconds, Math.min(treeLimits.timeSeconds, Math.trunc(seconds)));
}

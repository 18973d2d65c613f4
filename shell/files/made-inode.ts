import type { InodeView } from '../../tree/live/file-tree.ts';

/** Of what a process sees and the tree has nothing of: root's, and empty. */
export const madeInode: InodeView = {
  ino: 0,
  mode: 0,
  uid: 0,
  gid: 0,
  nlink: 1,
  rdev: 0,
  sizeBytes: 0,
  allocatedBytes: 0,
  atimeSeconds: 0,
  atimeNanoseconds: 0,
  mtimeSeconds: 0,
  mtimeNanoseconds: 0,
  ctimeSeconds: 0,
  ctimeNanoseconds: 0,
  version: 0,
  parent: 0,
  target: undefined,
};

/** 9P2000.L request types; each reply is one more (include/net/9p/9p.h). */
export const messageType = {
  statfs: 8,
  lopen: 12,
  lcreate: 14,
  symlink: 16,
  mknod: 18,
  rename: 20,
  readlink: 22,
  getattr: 24,
  setattr: 26,
  xattrwalk: 30,
  xattrcreate: 32,
  readdir: 40,
  fsync: 50,
  lock: 52,
  getlock: 54,
  link: 70,
  mkdir: 72,
  renameat: 74,
  unlinkat: 76,
  version: 100,
  auth: 102,
  attach: 104,
  flush: 108,
  walk: 110,
  read: 116,
  write: 118,
  clunk: 120,
  remove: 122,
} as const;

export type MessageName = keyof typeof messageType;

/** The one reply to any request that failed: a positive errno. */
export const errorReplyType = 7;

import { treeLimits } from '../limits.ts';

/** Every bound of the 9P server, in one place; the name carries the unit. A guest cannot make it hold more. */
export const ninePLimits = {
  /** Largest message either way: what Linux's virtio transport carries (128 pages less three, net/9p/trans_virtio.c). */
  messageBytes: 512_000,
  /** Linux refuses a server that offers less (net/9p/client.c). */
  minimumMessageBytes: 4_096,
  /** In force until Tversion: what clients start with. */
  initialMessageBytes: 8_192,
  /** Header room that clients leave in Rread, Twrite and Rreaddir (P9_IOHDRSZ). */
  ioHeaderBytes: 24,
  /** Linux keeps one fid for each cached dentry and one or two for each open file. */
  fids: 262_144,
  /** Names of one Twalk (P9_MAXWELEM). */
  walkNames: 16,
  nameBytes: treeLimits.nameBytes as number,
  symlinkBytes: treeLimits.targetBytes as number,
  xattrValueBytes: treeLimits.xattrBytes as number,
  xattrNameBytes: treeLimits.xattrNameBytes as number,
  /** Values and lists that xattr fids hold at one time, all together. */
  xattrBytesHeld: 4_194_304,
  /** Byte-range locks of all files; past it Rlock says error and the guest sees ENOLCK. */
  locks: 4_096,
  /** A node name has 64 bytes at most; other clients get some room. */
  lockClientIdBytes: 256,
} as const;

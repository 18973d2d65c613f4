/** The sizes that the tree is built from and the bounds it refuses to pass. Changing one changes ids (SPEC.md, OB-3). */
export const treeLimits = {
  /** File data is kept, shared and hashed in pieces of this size. */
  extentBytes: 32_768,
  /** Memory of a file is copied in pieces of this size, 8 to the extent. */
  pageSize: 4_096,
  /** Ids in one chunk list object: two radix levels. */
  chunkListFanOut: 1_024,
  /** Largest file: what ext4 allows with 4 KiB blocks. */
  fileBytes: 17_592_186_044_416,
  nameBytes: 255,
  /** Symlink target, as Linux's PATH_MAX without its NUL. */
  targetBytes: 4_095,
  /** Names and values of all extended attributes of one inode. */
  xattrBytes: 65_536,
  xattrNameBytes: 255,
  hardLinks: 65_000,
  /** Times are clamped to this many seconds either side of 1970. */
  timeSeconds: 8_796_093_022_208,
  /** Directories below one another. Recursion over a tree relies on it. */
  depth: 1_024,
  /** Inode numbers fit the 32 bits that old i386 programs have for them, and are never used twice. */
  inodeNumber: 4_294_967_295,
  /** A page of a directory ends at the latest when it holds this much. */
  pageEntries: 512,
  pageBytes: 65_536,
  /** Pages of one directory or of the list of hard links. */
  pages: 262_144,
  /** Paths of hard links that one tree root lists, all together. */
  hardLinkPathBytes: 67_108_864,
  /** Symlinks followed while one path is resolved, as in Linux. */
  symlinksFollowed: 40,
  /** Longest path of a file, with the slash before it: Linux's PATH_MAX without its NUL. Every runtime refuses a longer one. */
  pathBytes: 4_095,
  /** Names that are walked while one path is resolved, those of the symlinks on the way included. */
  walkedBytes: 65_536,
} as const;

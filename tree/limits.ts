/** The sizes that the tree is built from and the bounds it refuses to pass. Changing one changes ids (SPEC.md, O-3). */
export const treeLimits = {
  /** File data is kept, shared and hashed in pieces of this size. */
  extentBytes: 32_768,
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
  /** Directories below one another. Recursion over a tree relies on it. */
  depth: 1_024,
  /** Inode numbers fit the 32 bits that old i386 programs have for them, and are never used twice. */
  inodeNumber: 4_294_967_295,
  /** A page of a directory ends at the latest when it holds this much. */
  pageEntries: 512,
  pageBytes: 65_536,
  /** Largest canonical object other than a directory index; a hostile one is refused before it is parsed. */
  objectBytes: 262_144,
  /** Largest directory index or tree root. */
  indexBytes: 16_777_216,
  /** Symlinks followed while one path is resolved, as in Linux. */
  symlinksFollowed: 40,
  /** Longest path that is resolved, and longest that a tar may name. */
  pathBytes: 65_536,
} as const;

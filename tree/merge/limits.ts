/** Bounds of a merge. */
export const mergeLimits = {
  /** Of a text that is merged line by line: bytes and lines of each version. A larger one is in conflict. */
  textBytes: 1_048_576,
  textLines: 50_000,
  /** Of git's index, of which only the entries count. */
  gitIndexBytes: 67_108_864,
  /** Comparisons of lines that merging one text may take: many equal lines cost their product. Some tenths of a second. */
  lineComparisons: 200_000_000,
  /** Conflicts that are named; more are only counted. */
  conflicts: 256,
  /** Directories that one merge reads on all sides, and inodes that it makes or removes. */
  directories: 200_000,
  steps: 500_000,
} as const;

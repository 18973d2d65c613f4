/** Bounds of the WebContainer runtime; the name carries the unit. */
export const webcontainerLimits = {
  /** Time for the host to be reached, and to have booted. */
  reachMs: 5_000,
  bootMs: 120_000,
  /** Time without another change until files that a program has changed are read back. */
  readBackQuietMs: 200,
  /** Processes at once. */
  processes: 64,
  /** Files that are mounted, and read back, at once: each is held in memory several times. */
  treeBytes: 268_435_456,
} as const;

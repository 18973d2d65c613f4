/** Bounds of the WebContainer runtime; the name carries the unit. */
export const webcontainerLimits = {
  /** Time for the host to be reached, and to have booted. */
  reachMs: 5_000,
  bootMs: 120_000,
  /** Time for it to answer, such as with all files, before it has failed; and for processes that were killed to end. */
  answerMs: 120_000,
  endMs: 10_000,
  /** Time without another change until files that a program has changed are read back, and the most where changes go on. */
  readBackQuietMs: 200,
  readBackMs: 5_000,
  /** Processes at once. */
  processes: 64,
  /** Standard input of a process without a terminal, which is held in memory until it begins. */
  inputBytes: 16_777_216,
  /** Of all files: what is read back is held in memory several times. A mount is JSON, with up to 6 bytes for one of a file. */
  treeBytes: 268_435_456,
  mountBytes: 33_554_432,
} as const;

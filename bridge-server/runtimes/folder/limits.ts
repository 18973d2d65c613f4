/** Of the history of a folder of the host. */
export const folderLimits = {
  /** Files and directories that are looked at; what `.coppiceignore` leaves out does not count. */
  entries: 200_000,
  /** Bytes of all files together. */
  diskMiB: 8_192,
  /** Sizes of all files together, with their holes. */
  sizeBytes: 274_877_906_944,
  /** Bytes of files that one snapshot takes in, since they are in memory until they are stored. */
  readBytes: 2_147_483_648,
  /** Of `.coppiceignore`: bytes, and lines with a rule. */
  ignoreBytes: 65_536,
  ignoreRules: 1_000,
  /** Bytes that are read and compared at a time. */
  pieceBytes: 1_048_576,
  /** Holes of a file from which on it is asked where its data is, and the most parts that it may have. */
  holeBytes: 16_777_216,
  dataRanges: 100_000,
  /** Files that one look writes to disk one by one before it has all written; how long it waits for that. */
  settledAlone: 4,
  settleMs: 2_000,
  /** Files that an undo writes to disk one by one before it has all written; how long it waits for that. */
  flushedAlone: 64,
  flushMs: 30_000,
  /** Names that are tried for a file that is kept beside its path. */
  keptNames: 100,
  /** Directories that are open at a time. */
  openDirectories: 64,
  /** Looks at a folder to which something is mounted meanwhile. */
  looks: 5,
  /** Mounts that the coverage of a snapshot names. */
  namedMounts: 5,
  /** A file whose inode has changed since so long before the last look may have changed during it: its content is compared. */
  clockSlackMs: 2_000,
  /** How long a command waits for another one that has the history, and how often it looks. */
  waitMs: 10_000,
  waitStepMs: 20,
} as const;

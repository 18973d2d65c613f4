/** Bounds of recordings, for files that come from elsewhere and for what a session may make. */
export const recordingLimits = {
  /** Longest line that is read, and that is written. */
  lineBytes: 4_194_304,
  /** Output of one event; the writer makes several of more. */
  outputCharacters: 32_768,
  /** Bytes of an export in one `objects` event, before base64. */
  objectsPieceBytes: 262_144,
  /** The writer hands on its lines when it has so many characters; in a gzip, they are a member. */
  batchCharacters: 131_072,
  /** Of a gzip's inflated text. */
  inflatedBytes: 4_294_967_296,
  /** Of a gzip that is one long member, the text is held, deflated: this much of it. */
  heldBytes: 268_435_456,
  /** A block of lines is read as a whole when a part of it is needed. One of a gzip that has no members as short is held from the second on. */
  blockBytes: 262_144,
  unsplitBlockBytes: 1_048_576,
  /** Of one file. Terminals count from 1. */
  terminals: 1_024,
  /** What is larger is read as this. */
  columns: 1_000,
  rows: 1_000,
  commands: 10_000_000,
  snapshots: 100_000,
  /** Objects and lists in one another in what a tool was called with, what came of it, and a header. */
  depth: 64,
  /** Time between two events, s: some thirty years. */
  intervalSeconds: 1_000_000_000,
  environmentNames: 1_024,
  arguments: 4_096,
  kindsOfSecrets: 256,
  /** Values that a recorder is told to replace: how many, and how long each may be. Shorter ones are too common to be replaced everywhere. */
  secrets: 4_096,
  secretCharacters: 16_384,
  leastSecretCharacters: 6,
  /** Output that is held because its end may be the beginning of a secret; a private key is as long. */
  heldOutputCharacters: 16_384,
  omittedSentences: 64,
  /** What an opened recording holds in memory: how many landmarks, characters of each text, and of all together. */
  landmarks: 500_000,
  landmarkCharacters: 256,
  landmarksCharacters: 67_108_864,
  /** Of a snapshot's label in the marker that public players list. */
  markerCharacters: 100,
  keyframes: 200_000,
  /** A keyframe comes when a terminal has shown so much since the last, and so much time has passed; of so many terminals. */
  keyframeEveryCharacters: 262_144,
  keyframeEverySeconds: 2,
  keyframeTerminals: 16,
  /** A longer one is left out: each of its characters may be 7 in a line. */
  keyframeCharacters: 196_608,
  /** Output that waits until its terminal is loaded; of more, its recording has no keyframes. */
  keyframePendingCharacters: 4_194_304,
  /** Of a folder: when a segment ends, bytes of one and of the index that are read, segments, and bytes of one part of a snapshot. */
  segmentCharacters: 262_144,
  segmentEvents: 100_000,
  segmentBytes: 33_554_432,
  indexBytes: 268_435_456,
  segments: 100_000,
  snapshotPartBytes: 4_194_304,
  /**
   * When commands run again: characters of each stream that are compared, differences of one command that are told, and of each text;
   * commands that may have begun before the snapshot of one comes; files that are read to see whether they differ in noise alone, and
   * bytes of each; commits and tags of git that are known by what they say, and bytes of each.
   */
  verifyOutputCharacters: 1_048_576,
  verifyDifferences: 32,
  verifyExcerptCharacters: 240,
  verifyLateCommands: 256,
  verifyFiles: 256,
  verifyFileBytes: 1_048_576,
  verifyCommits: 10_000,
  verifyCommitBytes: 65_536,
  /** Of a search. */
  foundCharacters: 120,
  searchCharacters: 1_024,
} as const;

/** Bounds of snapshot records and of the history that they form. */
export const historyLimits = {
  parents: 16,
  commands: 64,
  paths: 1_024,
  /** Any text of a record, in UTF-8. */
  textBytes: 4_096,
  /** Extensions of a record, the text of one, and the objects that it refers to. */
  extensions: 32,
  extensionBytes: 65_536,
  extensionObjects: 1_024,
  recordBytes: 1_048_576,
  /** Page bundles that one memory image has pages in. */
  memoryBundles: 1_024,
  /** Terminals of a stored checkpoint, and bytes of each one's screen. */
  screens: 64,
  screenBytes: 16_384,
  /** A tag's name, in UTF-8. */
  tagBytes: 128,
  /** Automatic snapshots that retention keeps. */
  automaticSnapshots: 1_000,
  /** One exported stream: objects and their bytes. */
  streamObjects: 4_000_000,
  streamBytes: 17_179_869_184,
  streamObjectBytes: 67_108_864,
  /** A block of a stream, which is deflated as a whole. */
  streamBlockBytes: 262_144,
  /** An object that comes as a delta, the delta, and its base. */
  streamDeltaBytes: 262_144,
  /** Objects in one `BaseTable`. */
  streamBases: 262_144,
} as const;

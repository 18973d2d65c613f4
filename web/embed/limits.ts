/** Bounds of embeds, of the frame's side and of the page's; the name carries the unit. */
export const embedLimits = {
  /** Of one frame: sandboxes, pages that drive it at a time, and lines of its messages about problems. */
  sandboxes: 8,
  clients: 4,
  messageCharacters: 500,
  /** How long a page waits for a frame to answer. */
  connectMs: 30_000,
  /** Of an element: files given inline, and the size of one, of a snapshot's file, and of a command. */
  files: 64,
  fileCharacters: 1_048_576,
  snapshotBytes: 67_108_864,
  commandCharacters: 65_536,
  /** Rows of a terminal whose height follows what it shows, and the height that a frame may ask for. */
  autoRows: { least: 6, most: 24 },
  heightPx: 2_000,
  /** The usual height of a player, and that where what is beside its terminal is below it for want of width (44rem, as its styles say). */
  playerPx: { height: 460, narrowBelow: 704, narrowHeight: 640 },
  /** Of a recording, read from its beginning for the first picture. */
  firstFrameBytes: 262_144,
  firstFrameCells: 65_536,
  /** Of a recording that a page reads for a frame: its bytes, and files where it is a folder of segments. */
  recordingBytes: 536_870_912,
  recordingFiles: 10_000,
} as const;

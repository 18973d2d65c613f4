/** What a player holds in memory at most, of a recording that may be anything. */
export const replayLimits = {
  /** Of a recording that is fetched, and of one of its segments. */
  fileBytes: 1_073_741_824,
  segmentBytes: 67_108_864,
  /** Of what is fetched, so much is in memory before it is kept as a blob. */
  blobBytes: 8_388_608,
  /** How long the page waits for all of a short recording, and how often it is told what is known of a long one. */
  openMs: 30,
  growthMs: 200,
  /** Characters of output that one batch has, but for one event that is longer. */
  batchCharacters: 262_144,
  batchEvents: 4_096,
  /** Characters that a screen is drawn from: past it, the oldest are left out, which only a file without keyframes reaches. */
  screenCharacters: 8_388_608,
  /** Objects of the snapshots that were looked at. */
  objectBytes: 805_306_368,
  /** What a search finds. */
  found: 500,
  /** Bytes of a file that is shown. */
  fileReadBytes: 67_108_864,
} as const;

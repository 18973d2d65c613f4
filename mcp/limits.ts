/** Bounds of what one MCP client may ask for; the name carries the unit. */
export const mcpLimits = {
  /** Sandboxes that it makes, forks with them. */
  madeSandboxes: 32,
  /** Sandboxes that are open for it at once. */
  openSandboxes: 32,
  /** Forks that one call makes. */
  forks: 8,
  /** Commands that it has started and not closed, in all sandboxes. */
  processes: 16,
  /** Output of one of them that waits to be polled: past it, the command waits. */
  waitingOutputBytes: 262_144,
  /** The longest that a poll waits for output. */
  pollMs: 30_000,
  /** One message of the client. */
  messageBytes: 10_485_760,
  /** One file that is read or written. */
  fileBytes: 4_194_304,
  /** Snapshots, changes or entries of a directory in one answer. */
  listed: 500,
  /** The shortest time between two words about how far a command is. */
  progressMs: 500,
} as const;

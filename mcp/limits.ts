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
  /** Calls of tools, and reads of resources, under way at once. */
  calls: 16,
  /** One message of the client. */
  messageBytes: 10_485_760,
  /** One file that is read or written. */
  fileBytes: 4_194_304,
  /** Snapshots, changes or entries of a directory in one answer. */
  listed: 500,
  /** The shortest time between two words about how far a call is, also as a part of how long it has taken. */
  progressMs: 500,
  progressShare: 0.01,
} as const;

/** Bounds of all clients over HTTP together; what each may ask for is in `mcpLimits`. */
export const mcpHttpLimits = {
  /** Sessions of one server, and of one account. */
  sessions: 256,
  sessionsOfAccount: 32,
  /** A session ends that has had no request under way for so long. */
  idleMs: 1_800_000,
  /** A sandbox that the client of a session does not use is closed for it after so long; the next call opens it. */
  idleSandboxMs: 600_000,
  /** Streams of list changes of one token, for clients without a session. */
  subscriptions: 16,
} as const;

/** Bounds of the pages that WebContainer applications use; the name carries the unit. */
export const hostLimits = {
  /** Of an embedding page: objects and listeners that are held for it, and requests of it that are under way. */
  handles: 4_096,
  requests: 1_024,
  watchers: 256,
  /** Columns, or rows, of a terminal. */
  terminalCells: 1_000,
  /** Of one mount, and of one export. */
  mountBytes: 268_435_456,
  exportBytes: 268_435_456,
  /**
   * Time after which a bridge deletes the sandbox of an instance, and how often the host renews that: a page that is gone leaves
   * its jail for so long, and timers of hidden tabs are some minutes late.
   */
  sandboxMs: 900_000,
  sandboxRenewMs: 180_000,
  /** Ports on which the history is reached. */
  historyPorts: 16,
  /** Of previews: pages that are connected at once, characters of a reported error, requests of one that are under way. */
  previews: 64,
  previewRequests: 256,
  /** Time until the head of an answer, interim answers before it, and time that the reader of an answer may pause. */
  previewHeadMs: 120_000,
  interimAnswers: 16,
  previewIdleMs: 300_000,
  reportCharacters: 16_384,
  /** Origins of hosts that a preview believes, frames that it asks for its host, and time for that to answer. */
  previewHosts: 16,
  frames: 64,
  answerMs: 5_000,
  /** Time until a port is closed, for its last message to arrive. */
  portCloseMs: 1_000,
} as const;

/** Of `coppice shell`. */
export const shellLimits = {
  /** Lines that the history file keeps, and characters of each. */
  historyLines: 1_000,
  historyLineCharacters: 4_096,
  /** Characters of one command, which may have many lines. */
  commandCharacters: 1_048_576,
  /** Names that a completion offers. */
  completions: 200,
  /** A command that takes longer has its time shown. */
  quickMs: 1_000,
} as const;

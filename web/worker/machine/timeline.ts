/** What a worker notes in its timeline (`performance.mark`). */
export const timeline = {
  /** A machine stands ready that nobody has asked for yet. */
  ready: 'coppice machine ready',
  /** Its machine has begun to run: the guest's first instruction is next. */
  runs: 'coppice machine runs',
} as const;

/** Of programs that run on the host itself. */
export const unconfinedLimits = {
  /** How often processes are looked for that a program has left, and how long between two looks: one that is killed is still there for a while. */
  endRounds: 100,
  endStepMs: 20,
  /** A process that was not found may keep an output open: it is closed once nothing has come for so long. */
  idleOutputMs: 500,
} as const;

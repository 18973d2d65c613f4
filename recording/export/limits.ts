export const exportLimits = {
  /** Steps of a trajectory that wait for the results of their calls. */
  openSteps: 1_000,
  /** Of the output of a command that no call has run, in UTF-16 units: what is kept for its result. */
  outputUnits: 262_144,
  /** Commands that have not ended. */
  runningCommands: 256,
  /** Of a page's recording, in bytes before it is deflated: the page has it in memory. */
  pageBytes: 268_435_456,
} as const;

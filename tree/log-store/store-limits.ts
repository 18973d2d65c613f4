/** Bounds of the durable store of one sandbox. */
export const storeLimits = {
  /** Largest object. */
  objectBytes: 67_108_864,
  /** Largest log file: a store that reaches it takes nothing more until it is swept. */
  fileBytes: 17_179_869_184,
  /** Files of one log. */
  logFiles: 16,
  /** Least that a log has in the file that it is written to for a clone to share that file; less is copied. */
  sharedFileBytes: 1_048_576,
  /** Most that a clone copies. */
  cloneCopyBytes: 33_554_432,
} as const;

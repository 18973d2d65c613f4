/** Bounds of the durable store of one sandbox. */
export const storeLimits = {
  /** Largest object. */
  objectBytes: 67_108_864,
  /** Largest log file: a store that reaches it takes nothing more until it is swept. */
  fileBytes: 17_179_869_184,
} as const;

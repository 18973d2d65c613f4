export const editLimits = {
  /** Of what a terminal showed before a part, in UTF-16 units: what its screen at the beginning of the part is made from. */
  screenUnits: 1_048_576,
  /** Files that are joined. */
  joined: 1_000,
} as const;

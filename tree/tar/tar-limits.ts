/** What an archive may ask for before it is refused. */
export const tarLimits = {
  /** One pax header or GNU long name. */
  extendedHeaderBytes: 1_048_576,
  pathBytes: 65_536,
} as const;

/** What an archive may ask for before it is refused. */
export const tarLimits = {
  /** One pax header or GNU long name. */
  extendedHeaderBytes: 1_048_576,
  /** Records that apply to one member: all of them are looked at for each. */
  paxRecords: 256,
  /** Records that apply to all members, and are looked at for each. */
  globalRecordsBytes: 16_384,
  pathBytes: 65_536,
} as const;

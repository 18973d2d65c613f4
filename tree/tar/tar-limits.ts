/** Bounds past which an archive is refused. */
export const tarLimits = {
  /** One pax header or GNU long name. */
  extendedHeaderBytes: 1_048_576,
  /** Records of one member: each member is checked against all of them. */
  paxRecords: 256,
  /** Records that apply to all members: each member is checked against all of them. */
  globalRecordsBytes: 16_384,
} as const;

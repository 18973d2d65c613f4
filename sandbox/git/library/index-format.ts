/** The index as a file (gitformat-index): what its readers and its writer share. */
export const indexFormat = {
  /** `DIRC`. */
  signature: 0x4449_5243,
  headerBytes: 12,
  /** Of an entry, before its path. */
  fixedBytes: 62,
  /** The hash of all before it. */
  checksumBytes: 20,
  /** The flag of an entry with more flags, which version 3 has. */
  extended: 0x4000,
  /** Times and sizes are whole numbers of 32 bits. */
  wrap: 0x1_0000_0000,
};

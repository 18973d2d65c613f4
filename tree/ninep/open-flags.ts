/** Flags of Tlopen and Tlcreate: x86 Linux's `open` flags, whatever the guest is (P9_DOTL_* in include/net/9p/9p.h). */
export const openFlag = {
  accessMask: 0o3,
  readOnly: 0o0,
  writeOnly: 0o1,
  readWrite: 0o2,
  exclusive: 0o200,
  truncate: 0o1000,
  append: 0o2000,
  directory: 0o200000,
} as const;

/** Whether a file opened with `flags` may be read. */
export function allowsRead(flags: number): boolean {
  const access = flags & openFlag.accessMask;
  return access === openFlag.readOnly || access === openFlag.readWrite;
}

/** Whether a file opened with `flags` may be written. */
export function allowsWrite(flags: number): boolean {
  const access = flags & openFlag.accessMask;
  return access === openFlag.writeOnly || access === openFlag.readWrite;
}

/** `st_mode` file types and bits, Linux values (uapi/linux/stat.h). */
export const fileMode = {
  typeMask: 0o170000,
  socket: 0o140000,
  symlink: 0o120000,
  file: 0o100000,
  blockDevice: 0o060000,
  directory: 0o040000,
  characterDevice: 0o020000,
  fifo: 0o010000,
  permissions: 0o7777,
} as const;

export function isDirectory(mode: number): boolean {
  return (mode & fileMode.typeMask) === fileMode.directory;
}

export function isFile(mode: number): boolean {
  return (mode & fileMode.typeMask) === fileMode.file;
}

export function isSymlink(mode: number): boolean {
  return (mode & fileMode.typeMask) === fileMode.symlink;
}

export function isDevice(mode: number): boolean {
  const type = mode & fileMode.typeMask;
  return type === fileMode.blockDevice || type === fileMode.characterDevice;
}

/** Whether `mode` is one of the seven types and permission bits, nothing else. */
export function isValidMode(mode: number): boolean {
  const type = mode & fileMode.typeMask;
  const known =
    type === fileMode.socket ||
    type === fileMode.symlink ||
    type === fileMode.file ||
    type === fileMode.directory ||
    type === fileMode.fifo ||
    isDevice(mode);
  return known && (mode & ~(fileMode.typeMask | fileMode.permissions)) === 0;
}

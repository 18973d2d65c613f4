/** Errors of system calls that the shell and its programs meet, with the words of Linux (`strerror`). */
export const errorMessages = {
  EPERM: 'Operation not permitted',
  ENOENT: 'No such file or directory',
  EIO: 'Input/output error',
  EBADF: 'Bad file descriptor',
  EACCES: 'Permission denied',
  EBUSY: 'Device or resource busy',
  EEXIST: 'File exists',
  EXDEV: 'Invalid cross-device link',
  ENOTDIR: 'Not a directory',
  EISDIR: 'Is a directory',
  EINVAL: 'Invalid argument',
  EMFILE: 'Too many open files',
  EFBIG: 'File too large',
  ENOSPC: 'No space left on device',
  EROFS: 'Read-only file system',
  EMLINK: 'Too many links',
  EPIPE: 'Broken pipe',
  ENAMETOOLONG: 'File name too long',
  ENOSYS: 'Function not implemented',
  ENOTEMPTY: 'Directory not empty',
  ELOOP: 'Too many levels of symbolic links',
  EOPNOTSUPP: 'Operation not supported',
} as const;

export type ErrorName = keyof typeof errorMessages;

/** A system call failed. `message` is what Linux says of it; programs put their name and the path before it. */
export class ShellError extends Error {
  readonly code: ErrorName;

  constructor(code: ErrorName) {
    super(errorMessages[code]);
    this.code = code;
  }
}

/** A limit of `shellLimits` was reached: the process ends at once, with exit code 126. */
export class ShellLimitError extends Error {
  readonly limit: string;

  constructor(limit: string, message: string) {
    super(message);
    this.limit = limit;
  }
}

import { type ErrorCode, isErrorData, SandboxError } from '../../protocol/errors.ts';

const causes: Readonly<Record<string, { readonly code: ErrorCode; readonly why: string }>> = {
  ENOSPC: { code: 'storage-full', why: 'the disk is full' },
  EDQUOT: { code: 'storage-full', why: 'the disk quota is used up' },
  EFBIG: { code: 'storage-full', why: 'the file system takes no larger file' },
  ENOENT: { code: 'not-found', why: 'it is not there' },
  EEXIST: { code: 'already-exists', why: 'it exists' },
  ENAMETOOLONG: { code: 'invalid-argument', why: 'its name is too long for the file system' },
  EISDIR: { code: 'conflict', why: 'a directory is there' },
  ENOTDIR: { code: 'conflict', why: 'a part of its path is no directory' },
  ENOTEMPTY: { code: 'conflict', why: 'the directory is not empty' },
  EROFS: { code: 'read-only', why: 'the file system is read-only. Mount it for writing' },
  EACCES: { code: 'read-only', why: 'this user may not write there' },
  EMFILE: { code: 'limit-exceeded', why: 'this process has too many files open' },
  ENFILE: { code: 'limit-exceeded', why: 'this host has too many files open' },
  // SQLite's primary result codes: https://sqlite.org/rescode.html
  SQLITE_5: { code: 'busy', why: 'another process is writing to it' },
  SQLITE_10: {
    code: 'read-only',
    why: 'the disk has errors, or the kernel has made its file system read-only. See the log of the kernel, and mount it for writing again',
  },
  SQLITE_8: { code: 'read-only', why: 'the file cannot be written' },
  SQLITE_11: { code: 'corrupt-object', why: 'the file is damaged' },
  SQLITE_13: { code: 'storage-full', why: 'the disk is full' },
  SQLITE_14: { code: 'not-found', why: 'the file cannot be opened' },
  SQLITE_26: { code: 'corrupt-object', why: 'the file is not a database' },
};

/** Translates what Node's file system and SQLite throw; `action` completes "Cannot …". */
export function diskError(action: string, error: unknown): SandboxError {
  if (isErrorData(error)) return SandboxError.from(error);
  const name = nameOf(error);
  const reason = error instanceof Error ? error.message : String(error);
  const known = Object.hasOwn(causes, name) ? causes[name] : undefined;
  const { code, why } = known ?? { code: 'internal' as const, why: reason };
  return new SandboxError(code, `Cannot ${action}: ${why}`, { cause: error, details: { name } });
}

/** Whether the operating system refused with this errno. */
export function isErrno(error: unknown, name: string): boolean {
  return error instanceof Error && nameOf(error) === name;
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return '';
  // SQLite's extended codes keep the primary one in their lowest byte.
  if (error.code === 'ERR_SQLITE_ERROR' && 'errcode' in error)
    return `SQLITE_${Number(error.errcode) & 0xff}`;
  return String(error.code);
}

/** What `work` answers; what it throws, translated. `action` completes "Cannot …". */
export function translated<Value>(action: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    throw diskError(action, error);
  }
}

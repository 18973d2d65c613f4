import { isErrorData, SandboxError } from '../../protocol/errors.ts';

/** Translates an error of a browser's storage; `action` completes "Cannot …". */
export function storageError(action: string, error: unknown): SandboxError {
  if (isErrorData(error)) return SandboxError.from(error);
  const name = error instanceof Error || error instanceof DOMException ? error.name : '';
  const options = { cause: error, details: { name } };
  switch (name) {
    case 'QuotaExceededError':
      return new SandboxError('storage-full', `Cannot ${action}: the storage is full`, options);
    case 'NoModificationAllowedError':
      return new SandboxError('busy', `Cannot ${action}: another tab has it open`, options);
    case 'NotFoundError':
      return new SandboxError('not-found', `Cannot ${action}: it is not there`, options);
    case 'TimeoutError':
      return new SandboxError('timeout', `Cannot ${action}: the storage does not answer`, options);
    default: {
      const reason = error instanceof Error ? error.message : String(error);
      return new SandboxError('internal', `Cannot ${action}: ${reason}`, options);
    }
  }
}

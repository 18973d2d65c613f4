import { SandboxError } from './errors.ts';
import type { CloseOptions } from './sandbox/connection.ts';

/** Why a sandbox that would lose its last changes with its end is not closed. `why` is what keeps them from being saved. */
export function unsavedChanges(name: string, why: SandboxError): SandboxError {
  const message =
    `Cannot close "${name}": its last changes are not saved. ${why.message}. ` +
    'It stays open: mend that and close it again, or close it with `discard`, which gives them up';
  return new SandboxError(why.code, message, {
    details: { ...why.details, unsaved: true, why: why.message },
    cause: why,
  });
}

/** What is told of a sandbox that has ended all the same. `why`: what kept them from being saved, or that it was not closed for it. */
export function lostChanges(name: string, why: SandboxError): SandboxError {
  const { code, message, details } = why;
  const { unsaved: _, why: reason = message, ...rest } = details;
  return new SandboxError(code, `The last changes of "${name}" are lost: ${reason}`, { details: rest });
}

/** Whether a sandbox was not closed because its last changes are not saved: it is open still. */
export function isUnsaved(error: unknown): boolean {
  return error instanceof SandboxError && error.details.unsaved === true;
}

/** Closes something once, whoever asks how often. Where unsaved changes keep it open, it can be asked again. */
export function closeOnce(close: (options?: CloseOptions) => Promise<void>): typeof close {
  let closed: Promise<void> | undefined;
  return (options) => {
    if (closed) return closed;
    const closing = close(options);
    closed = closing;
    closing.catch((error) => {
      if (isUnsaved(error)) closed = undefined;
    });
    return closing;
  };
}

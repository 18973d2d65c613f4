import { SandboxError } from '../protocol/errors.ts';

/** Throws `aborted` when the signal already is. */
export function throwIfAborted(signal: AbortSignal | undefined, what: string): void {
  if (signal?.aborted) throw new SandboxError('aborted', `${what}: aborted`, { cause: signal.reason });
}

/** Calls `onAbort` when the signal aborts, at once when it has; the returned function stops listening. */
export function listenAbort(signal: AbortSignal | undefined, onAbort: () => void): () => void {
  if (signal?.aborted) onAbort();
  if (!signal || signal.aborted) return () => {};
  signal.addEventListener('abort', onAbort, { once: true });
  return () => signal.removeEventListener('abort', onAbort);
}

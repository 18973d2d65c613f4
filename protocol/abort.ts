import { SandboxError } from './errors.ts';

/** Throws `aborted` if the signal has aborted already, with its reason as the cause. The message begins with `what`. */
export function throwIfAborted(signal: AbortSignal | undefined, what: string): void {
  if (signal?.aborted) throw new SandboxError('aborted', `${what}: aborted`, { cause: signal.reason });
}

/** The result of `work`; if it fails because the signal aborted, rejects with `aborted` instead. @throws aborted */
export async function abortable<T>(
  work: () => Promise<T>,
  { signal, what }: { signal: AbortSignal | undefined; what: string },
): Promise<T> {
  throwIfAborted(signal, what);
  try {
    return await work();
  } catch (error) {
    throwIfAborted(signal, what);
    throw error;
  }
}

/** `promise`, or a rejection as soon as the signal aborts. The work continues, and its result is ignored. */
export async function orAborted<T>(
  promise: Promise<T>,
  { signal, what }: { signal: AbortSignal | undefined; what: string },
): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const unlisten = listenAbort(signal, () =>
    reject(new SandboxError('aborted', `${what}: aborted`, { cause: signal?.reason })),
  );
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    unlisten();
  }
}

/** Calls `onAbort` when the signal aborts, at once when it has; the returned function stops listening. */
export function listenAbort(signal: AbortSignal | undefined, onAbort: () => void): () => void {
  if (signal?.aborted) onAbort();
  if (!signal || signal.aborted) return () => {};
  signal.addEventListener('abort', onAbort, { once: true });
  return () => signal.removeEventListener('abort', onAbort);
}

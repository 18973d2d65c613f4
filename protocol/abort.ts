import { SandboxError } from './errors.ts';

/** Throws `aborted` when the signal already is; its reason is the cause. `what` is what cannot be done. */
export function throwIfAborted(signal: AbortSignal | undefined, what: string): void {
  if (signal?.aborted) throw new SandboxError('aborted', `${what}: aborted`, { cause: signal.reason });
}

/** What `work` answers; when it fails because the signal aborted, that is what it fails with. @throws aborted */
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

/** `promise`, or a rejection as soon as the signal aborts. The work goes on, and nobody hears of its end. */
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

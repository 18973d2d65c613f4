import { limits } from '../../protocol/limits.ts';

/**
 * Takes the lock for writing to a sandbox, which one tab of the origin can hold; resolves to a function that
 * releases it, or to `undefined` if another tab holds it. The browser releases it when the worker or tab has died, which takes it
 * a while, so one that is held is waited for that long.
 * Without Web Locks (insecure origins) there is no exclusion.
 */
export function takeWriterLock(sandbox: string): Promise<(() => void) | undefined> {
  if (!('locks' in navigator)) return Promise.resolve(() => undefined);
  const signal = AbortSignal.timeout(limits.lockReleaseMs);
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(`coppice/${sandbox}`, { signal }, () => new Promise<void>((release) => resolve(release)))
      .catch((error: unknown) => (signal.aborted ? resolve(undefined) : reject(error)));
  });
}

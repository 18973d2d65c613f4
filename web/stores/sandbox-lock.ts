/**
 * Takes the lock for writing to a sandbox, which one tab of the origin can hold; resolves to a function that
 * releases it, or to `undefined` if another tab holds it. The browser releases it when the worker or tab dies.
 * Without Web Locks (insecure origins) there is no exclusion.
 */
export function takeWriterLock(sandbox: string): Promise<(() => void) | undefined> {
  if (!('locks' in navigator)) return Promise.resolve(() => undefined);
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(`coppice/${sandbox}`, { ifAvailable: true }, (lock) => {
        if (lock === null) return resolve(undefined);
        return new Promise<void>((release) => resolve(release));
      })
      .catch(reject);
  });
}

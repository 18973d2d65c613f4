/**
 * Takes the right to write to a sandbox, one holder among all tabs of the origin; resolves to how
 * to give it back, or to `undefined` when another holds it. The browser frees it when the worker
 * or tab dies. Where there are no Web Locks (insecure origins) nothing arbitrates.
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

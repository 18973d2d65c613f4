/** Tasks that wait until something has changed, and then look again. */
export class WaitQueue {
  readonly #waiting = new Set<() => void>();

  wakeAll(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** Rejects with the signal's reason. */
  wait(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const wake = () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      const abort = () => {
        this.#waiting.delete(wake);
        reject(signal?.reason);
      };
      this.#waiting.add(wake);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }
}

/** A timer for each key, which begins anew whenever the key is used. */
export class IdleTimers implements Disposable {
  readonly #idleMs: number;
  readonly #onIdle: (key: string) => void;
  readonly #timers = new Map<string, NodeJS.Timeout>();

  /** Calls `onIdle` with a key that was not used for `idleMs`, once. */
  constructor(idleMs: number, onIdle: (key: string) => void) {
    this.#idleMs = idleMs;
    this.#onIdle = onIdle;
  }

  use(key: string): void {
    this.forget(key);
    const timer = setTimeout(() => {
      this.#timers.delete(key);
      this.#onIdle(key);
    }, this.#idleMs);
    this.#timers.set(key, timer.unref());
  }

  forget(key: string): void {
    clearTimeout(this.#timers.get(key));
    this.#timers.delete(key);
  }

  [Symbol.dispose](): void {
    for (const key of [...this.#timers.keys()]) this.forget(key);
  }
}

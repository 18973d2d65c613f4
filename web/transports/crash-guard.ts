import { SandboxError } from '../../protocol/errors.ts';

/**
 * Rejects what waits on a worker or a port when the other side dies; comlink alone would leave it
 * waiting for ever. (Racing against one long-lived promise would keep every call's reaction alive.)
 */
export class CrashGuard {
  readonly #waiting = new Set<(error: SandboxError) => void>();
  #error: SandboxError | undefined;

  /** Tells everyone who waits, and who will. Only the first call counts. */
  crash(error: SandboxError): void {
    this.#error ??= error;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const tell of waiting) tell(this.#error);
  }

  /** Calls `listener` at the crash, at once when it is past; the returned function stops listening. */
  onCrash(listener: (error: SandboxError) => void): () => void {
    if (this.#error) listener(this.#error);
    else this.#waiting.add(listener);
    return () => void this.#waiting.delete(listener);
  }

  /** The promise's outcome as a `SandboxError` or value, or the crash if that comes first. */
  async wait<T>(promise: Promise<T>): Promise<T> {
    if (this.#error) throw this.#error;
    const { promise: crashed, reject } = Promise.withResolvers<never>();
    const forget = this.onCrash(reject);
    try {
      return await Promise.race([promise, crashed]);
    } catch (cause) {
      throw SandboxError.from(cause);
    } finally {
      forget();
    }
  }
}

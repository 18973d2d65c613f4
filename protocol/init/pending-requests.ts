import { SandboxError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { InitFrame } from './init-frames.ts';

/** A call's timeout and abort signal. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Default: `limits.requestTimeoutMs`. */
  readonly timeoutMs?: number | undefined;
}

interface Pending {
  readonly resolve: (frame: InitFrame) => void;
  readonly reject: (reason: SandboxError) => void;
}

/** Pending requests: each ends by an answer, a timeout, an abort or `close`. */
export class PendingRequests {
  readonly #pending = new Map<number, Pending>();
  /** Ids of requests that were given up, and that init may still carry out. */
  readonly #givenUp = new Set<number>();
  /** How long the machine was held until now, but for the present time. */
  #heldBeforeMs = 0;
  #heldSinceMs: number | undefined;

  has(id: number): boolean {
    return this.#pending.has(id);
  }

  /** Init cannot answer until `goOn`: meanwhile no timeout runs. */
  hold(): void {
    this.#heldSinceMs ??= performance.now();
  }

  goOn(): void {
    this.#heldBeforeMs = this.#heldMs();
    this.#heldSinceMs = undefined;
  }

  /** Whether every request so far was answered, also those that were given up. */
  get areSettled(): boolean {
    return this.#pending.size === 0 && this.#givenUp.size === 0;
  }

  /** The answer to request `id`. @throws timeout, aborted */
  wait(
    id: number,
    what: string,
    { signal, timeoutMs = limits.requestTimeoutMs }: CallOptions,
  ): Promise<InitFrame> {
    return new Promise((resolve, reject) => {
      const dueMs = performance.now() + timeoutMs - this.#heldMs();
      const expire = (): void => {
        const leftMs = dueMs + this.#heldMs() - performance.now();
        if (leftMs > 0) timer = setTimeout(expire, leftMs);
        else fail(new SandboxError('timeout', `Cannot ${what}: init did not answer within ${timeoutMs} ms`));
      };
      let timer = setTimeout(expire, timeoutMs);
      const onAbort = (): void => fail(new SandboxError('aborted', `Cannot ${what}: the caller gave up`));
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        this.#pending.delete(id);
      };
      const fail = (reason: SandboxError): void => {
        end();
        // Very many are as good as one.
        if (this.#givenUp.size < limits.processes) this.#givenUp.add(id);
        reject(reason);
      };
      this.#pending.set(id, {
        resolve: (frame) => {
          end();
          resolve(frame);
        },
        reject: fail,
      });
      signal?.addEventListener('abort', onAbort, { once: true });
      if (signal?.aborted) onAbort();
    });
  }

  /** Resolves the request with its answer; an answer that comes too late is dropped. */
  settle(id: number, frame: InitFrame): void {
    this.#givenUp.delete(id);
    this.#pending.get(id)?.resolve(frame);
  }

  reject(id: number, reason: SandboxError): void {
    this.#pending.get(id)?.reject(reason);
  }

  /** `reason` is called only if there is a request to reject, since an error costs a stack trace. */
  rejectAll(reason: () => SandboxError): void {
    for (const pending of [...this.#pending.values()]) pending.reject(reason());
  }

  #heldMs(): number {
    const presentMs = this.#heldSinceMs === undefined ? 0 : performance.now() - this.#heldSinceMs;
    return this.#heldBeforeMs + presentMs;
  }
}

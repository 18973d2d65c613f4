import { SandboxError } from '../../protocol/errors.ts';
import { webcontainerLimits } from './limits.ts';

/** Waits for the host of a WebContainer, which may be gone: one that was late once has failed. */
export class HostWatch {
  readonly #onFailure: (error: SandboxError) => void;
  #failure: SandboxError | undefined;

  constructor(onFailure: (error: SandboxError) => void) {
    this.#onFailure = onFailure;
  }

  get failure(): SandboxError | undefined {
    return this.#failure;
  }

  /** What the host answers. @throws machine-failed when it does not within `answerMs`, and from then on; what it rejects with */
  async answer<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#failure) throw this.#failure;
    try {
      return await orLate(ask(), webcontainerLimits.answerMs);
    } catch (cause) {
      if (!isLate(cause)) throw cause;
      if (!this.#failure) {
        const message = 'The host of the WebContainer does not answer any more: reload the page';
        this.#failure = new SandboxError('machine-failed', message, { cause });
        this.#onFailure(this.#failure);
      }
      throw this.#failure;
    }
  }
}

/** `work`, or a rejection after that time; then the work continues, and its result is ignored. @throws timeout */
export async function orLate<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const message = `WebContainer did not answer within ${timeoutMs / 1_000} seconds`;
    late.reject(new SandboxError('timeout', message));
  }, timeoutMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

export function isLate(cause: unknown): boolean {
  return cause instanceof SandboxError && cause.code === 'timeout';
}

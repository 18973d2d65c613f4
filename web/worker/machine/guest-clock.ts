import type { InitClient } from '../../../protocol/init/init-client.ts';
import { limits } from '../../../protocol/limits.ts';

/**
 * How long a message takes to the guest, about, ms. The tree's times come from the host, and a file from the guest's
 * future or of a source newer than what was made of it confuses `make`.
 */
const leadMs = 10;

/**
 * Keeps a guest's clock at the host's. Between two times that it is set, the guest counts by the thread's own clock,
 * which stands still while the host sleeps, and which nobody corrects.
 */
export class GuestClock implements Disposable {
  readonly #init: Pick<InitClient, 'setClock'>;
  readonly #timer: ReturnType<typeof setInterval>;
  /** The date at which the thread's clock began, as it was when the guest was told the time, ms since 1970. */
  #origin = Number.NaN;

  constructor(init: Pick<InitClient, 'setClock'>) {
    this.#init = init;
    this.#timer = setInterval(() => this.#follow(), limits.clockLookMs);
  }

  /** Sets it, and anew where the answer took so long that it may be behind by more than the lead. */
  async set(): Promise<void> {
    for (let attempt = 0; attempt < limits.clockAttempts; attempt++) {
      const sentMs = performance.now();
      this.#origin = origin();
      await this.#init.setClock(BigInt(Date.now() + leadMs) * 1_000_000n);
      if (performance.now() - sentMs <= 2 * leadMs) return;
    }
  }

  #follow(): void {
    // Before it was first set there is nothing to follow.
    if (!(Math.abs(origin() - this.#origin) > limits.clockStepMs)) return;
    // A machine that does not answer says so elsewhere.
    this.set().catch(() => undefined);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

function origin(): number {
  return Date.now() - performance.now();
}

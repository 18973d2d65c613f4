import { limits } from '../../protocol/limits.ts';

/** How long work that costs others something is to rest: as much longer than it took as `limits.captureRestShare` says. */
export class Rest {
  #untilMs = Number.NEGATIVE_INFINITY;

  /** How long it is to rest still. */
  leftMs(): number {
    return Math.max(0, this.#untilMs - performance.now());
  }

  /** Does `work`, which rests from its end on. */
  async after(work: () => Promise<unknown>): Promise<void> {
    const begunMs = performance.now();
    try {
      await work();
    } finally {
      const nowMs = performance.now();
      this.#untilMs = nowMs + Math.min(limits.captureRestMs, (nowMs - begunMs) * limits.captureRestShare);
    }
  }
}

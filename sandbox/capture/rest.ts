import { limits } from '../../protocol/limits.ts';

/**
 * How long work that costs others something is to rest: as much longer than it took as `limits.captureRestShare` says, and
 * than programs stood still for it as `limits.captureStopShare` does.
 */
export class Rest {
  #untilMs = Number.NEGATIVE_INFINITY;

  /** How long it is to rest still. */
  leftMs(): number {
    return Math.max(0, this.#untilMs - performance.now());
  }

  /** Does `work`, which rests from its end on. `stoppedMs` answers how long programs have stood still so far. */
  async after(
    work: () => Promise<unknown>,
    { stoppedMs = () => 0 }: { readonly stoppedMs?: () => number } = {},
  ): Promise<void> {
    const begunMs = performance.now();
    const stoppedBeforeMs = stoppedMs();
    try {
      await work();
    } finally {
      const nowMs = performance.now();
      const restMs = Math.max(
        (nowMs - begunMs) * limits.captureRestShare,
        (stoppedMs() - stoppedBeforeMs) * limits.captureStopShare,
      );
      this.#untilMs = nowMs + Math.min(limits.captureRestMs, restMs);
    }
  }
}

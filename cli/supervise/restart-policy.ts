import { limits } from '../../protocol/limits.ts';
import type { ExitStatus } from '../../protocol/sandbox/processes.ts';

/** How a program that was started has ended, or why it could not be started. */
export type Outcome =
  | { readonly type: 'ended'; readonly status: ExitStatus }
  | { readonly type: 'not-started'; readonly why: string; readonly exitCode: number };

/** What comes after an end. */
export type Decision =
  | { readonly type: 'end'; readonly exitCode: number; readonly why?: string }
  | {
      readonly type: 'restart';
      readonly afterMs: number;
      readonly why: string;
      readonly needsMachine: boolean;
    };

/**
 * Decides whether a supervised program is started again. One that a checkout has ended is, at once. One that the end
 * of its machine took along is, after a pause. One that ends by itself is not, unless it was started again and fails at
 * once (`limits.superviseAtOnceMs`), as one may that finds other files than it expects: then
 * `limits.superviseRestarts` times in a row, after pauses that double.
 */
export class RestartPolicy {
  #failures = 0;
  #wasRestarted = false;

  decide(outcome: Outcome, ranMs: number): Decision {
    if (ranMs >= limits.superviseAtOnceMs) this.#failures = 0;
    const decision = this.#decide(outcome, ranMs);
    if (decision.type === 'restart') this.#wasRestarted = true;
    return decision;
  }

  #decide(outcome: Outcome, ranMs: number): Decision {
    if (outcome.type === 'not-started') {
      const { why, exitCode } = outcome;
      return this.#wasRestarted
        ? this.#again(`it could not be started: ${why}`, exitCode)
        : { type: 'end', exitCode, why };
    }
    const { reason, exitCode } = outcome.status;
    if (reason === 'checkout') return { type: 'restart', afterMs: 0, why: 'a checkout', needsMachine: false };
    if (reason === 'machine-failed') return this.#again('its machine has failed', 1, { needsMachine: true });
    const failsAtOnce = this.#wasRestarted && exitCode !== 0 && ranMs < limits.superviseAtOnceMs;
    return failsAtOnce
      ? this.#again(`it ended with ${exitCode} at once`, exitCode)
      : { type: 'end', exitCode };
  }

  #again(why: string, exitCode: number, { needsMachine = false } = {}): Decision {
    this.#failures++;
    if (this.#failures > limits.superviseRestarts) {
      return { type: 'end', exitCode, why: `${why}, ${this.#failures} times in a row` };
    }
    const { first, max } = limits.superviseRestartMs;
    return { type: 'restart', afterMs: Math.min(max, first * 2 ** (this.#failures - 1)), why, needsMachine };
  }
}

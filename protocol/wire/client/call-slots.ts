import { SandboxError } from '../../errors.ts';
import { limits } from '../../limits.ts';

/** Lets so many calls be under way; the others wait in order. */
export class CallSlots {
  #free: number;
  #waiting: PromiseWithResolvers<void>[] = [];

  constructor(slots: number) {
    this.#free = slots;
  }

  /** Nothing when there is room, else a promise that resolves with it. @throws busy when too many wait */
  take(): void | Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    if (this.#waiting.length >= limits.wireWaitingCalls) {
      throw new SandboxError('busy', `Cannot call: ${limits.wireWaitingCalls} calls wait already`);
    }
    const turn = Promise.withResolvers<void>();
    this.#waiting.push(turn);
    return turn.promise;
  }

  /** Gives a slot back: to who waits longest. */
  give(): void {
    const next = this.#waiting.shift();
    if (next) next.resolve();
    else this.#free++;
  }

  /** Rejects who waits. */
  close(reason: SandboxError): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const turn of waiting) turn.reject(reason);
  }
}

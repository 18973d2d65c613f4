import { importLimits } from './limits.ts';
import type { DatedEvent } from './transcript.ts';

/** Events of a session and of its sub-agents, which wrote files of their own: in the order of their times. */
export class HeldEvents {
  #events: DatedEvent[] = [];

  add(events: readonly DatedEvent[]): void {
    for (const event of events) this.#events.push(event);
  }

  /** Those up to a time, or more where too many wait. */
  take(untilMs: number): DatedEvent[] {
    const sorted = this.#events.toSorted((one, other) => one.ms - other.ms);
    const over = Math.max(0, sorted.length - importLimits.heldEvents);
    const due = sorted.findLastIndex(({ ms }) => ms <= untilMs) + 1;
    const count = Math.max(over, due);
    this.#events = sorted.slice(count);
    return sorted.slice(0, count);
  }

  /** Whether so many wait that some have to go on. */
  get isFull(): boolean {
    return this.#events.length > importLimits.heldEvents;
  }
}

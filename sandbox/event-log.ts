import { limits } from '../protocol/limits.ts';
import type { SandboxEvent } from '../protocol/sandbox/events.ts';

/** An event before it has its number. */
export type UnnumberedEvent = SandboxEvent extends infer Event
  ? Event extends SandboxEvent
    ? Omit<Event, 'seq'>
    : never
  : never;

type Listener = (event: SandboxEvent) => unknown;

/** Numbers events, keeps the last `limits.eventRing` of them for who joins late, and tells listeners. */
export class EventLog {
  readonly #ring: SandboxEvent[] = [];
  readonly #listeners = new Set<Listener>();
  #seq = 0;

  emit(event: UnnumberedEvent): void {
    this.#seq++;
    const numbered = { ...event, seq: this.#seq } as SandboxEvent;
    this.#ring.push(numbered);
    if (this.#ring.length > limits.eventRing) this.#ring.shift();
    for (const listener of this.#listeners) tell(listener, numbered);
  }

  /** Every kept event after `after`, then each new one until the returned function is called. */
  subscribe(after: number, listener: Listener): () => void {
    for (const event of this.#ring) if (event.seq > after) tell(listener, event);
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** A listener that fails, at once or (on another page) later, keeps nothing from the others. */
async function tell(listener: Listener, event: SandboxEvent): Promise<void> {
  try {
    await listener(event);
  } catch (error) {
    console.warn('A listener failed:', error);
  }
}

import { limits } from '../../protocol/limits.ts';
import type { NetworkFlow, NetworkLog } from '../../protocol/network-log.ts';

/** A flow that may go on: what is told of it is asked for then. */
interface Entry {
  readonly began: Pick<NetworkFlow, 'id' | 'type' | 'startedAtMs'>;
  now: () => Partial<NetworkFlow>;
}

/** What can be said of a flow from its begin on. */
export type FlowFacts = Omit<NetworkFlow, 'id' | 'startedAtMs' | 'durationMs'>;

/** Where a flow is told of. */
export interface FlowEntry {
  /** It goes on: `facts` is asked whenever somebody looks. */
  update(facts: () => FlowFacts): void;
  /** It is over. */
  end(facts: FlowFacts): void;
}

/** The last that a sandbox did in the network. */
export class FlowLog {
  readonly #entries: Entry[] = [];
  #lastId = 0;

  begin(facts: FlowFacts): FlowEntry {
    const startedAtMs = Date.now();
    const began = performance.now();
    const entry: Entry = {
      began: { id: ++this.#lastId, type: facts.type, startedAtMs },
      now: () => facts,
    };
    this.#entries.push(entry);
    if (this.#entries.length > limits.networkLogEntries) this.#entries.shift();
    return {
      update: (now) => {
        entry.now = now;
      },
      end: (last) => {
        const durationMs = Math.round(performance.now() - began);
        entry.now = () => ({ ...last, durationMs });
      },
    };
  }

  read(): NetworkLog {
    return {
      flows: this.#entries.map(({ began, now }) => ({ ...now(), ...began }) as NetworkFlow),
      forgotten: this.#lastId - this.#entries.length,
    };
  }
}

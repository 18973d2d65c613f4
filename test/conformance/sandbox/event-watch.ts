import type { SandboxEvent } from '../../../protocol/sandbox/events.ts';
import type { Sandbox } from '../../../sdk/sandbox.ts';

type EventOf<Type extends SandboxEvent['type']> = Extract<SandboxEvent, { type: Type }>;

const patienceMs = 60_000;
/** No event has a number as high; over a connection, what was kept could come after the answer. */
const noneOfThePast = 2 ** 31;

/** Keeps a sandbox's events from now on and hands them out one by one, waiting for those to come. */
export class EventWatch {
  readonly #seen: SandboxEvent[] = [];
  #taken = 0;
  #onEvent: () => void = () => undefined;

  static async open(sandbox: Sandbox): Promise<EventWatch> {
    const watch = new EventWatch();
    await sandbox.subscribe(
      (event) => {
        watch.#seen.push(event);
        watch.#onEvent();
      },
      { after: noneOfThePast },
    );
    return watch;
  }

  /** How many events of a type came. */
  count(type: SandboxEvent['type']): number {
    return this.#seen.filter((event) => event.type === type).length;
  }

  /** The first event that matches after the one handed out last; those between are passed over. */
  async next<Type extends SandboxEvent['type']>(
    type: Type,
    matches: (event: EventOf<Type>) => boolean = () => true,
  ): Promise<EventOf<Type>> {
    const deadline = AbortSignal.timeout(patienceMs);
    for (;;) {
      while (this.#taken < this.#seen.length) {
        const event = this.#seen[this.#taken++];
        if (event?.type === type && matches(event as EventOf<Type>)) return event as EventOf<Type>;
      }
      await new Promise<void>((resolve, reject) => {
        this.#onEvent = resolve;
        deadline.addEventListener('abort', () => reject(new Error(`No "${type}" event came`)), {
          once: true,
        });
      });
    }
  }
}

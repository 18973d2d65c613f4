import { SandboxError } from '../../../protocol/errors.ts';
import { type ServedObject, served } from '../wire/object-server.ts';
import { RemoteFunction } from '../wire/remote-function.ts';

/** What the package can listen to; of `xdg-open` and `code` there is nothing to tell here. */
const containerEvents = ['port', 'server-ready', 'preview-message', 'error', 'xdg-open', 'code'] as const;
type ContainerEvent = (typeof containerEvents)[number];

/** Who listens to which event. */
export class ContainerEvents {
  readonly #listeners = new Map<RemoteFunction, ContainerEvent>();
  readonly #release: (listener: RemoteFunction) => void;
  readonly #onListen: () => void;

  constructor(options: {
    release: (listener: RemoteFunction) => void;
    /** Somebody new listens. */
    onListen: () => void;
  }) {
    this.#release = options.release;
    this.#onListen = options.onListen;
  }

  /** @returns how to stop, as a function. @throws invalid-argument */
  add(event: unknown, listener: unknown): ServedObject {
    const known = containerEvents.find((name) => name === event);
    if (known === undefined || !(listener instanceof RemoteFunction)) {
      const message = `Cannot listen to ${JSON.stringify(event)}: there are ${containerEvents.join(', ')}`;
      throw new SandboxError('invalid-argument', message);
    }
    this.#listeners.set(listener, known);
    this.#onListen();
    const remove = (): void => {
      if (this.#listeners.delete(listener)) this.#release(listener);
    };
    return served({ call: remove, onRelease: remove });
  }

  has(...events: readonly ContainerEvent[]): boolean {
    return [...this.#listeners.values()].some((event) => events.includes(event));
  }

  emit(event: ContainerEvent, ...values: readonly unknown[]): void {
    for (const [listener, listened] of this.#listeners) {
      if (listened === event) listener.call(...values).catch(() => undefined); // It was let go of.
    }
  }
}

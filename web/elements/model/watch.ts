import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** Updates an element whenever the object that `pick` names fires `change`, for as long as it is connected. */
export class Watch implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #pick: () => EventTarget | undefined;
  readonly #onChange = (): void => this.#host.requestUpdate();
  #watched: EventTarget | undefined;

  constructor(host: ReactiveControllerHost, pick: () => EventTarget | undefined) {
    this.#host = host;
    this.#pick = pick;
    host.addController(this);
  }

  hostConnected(): void {
    this.#follow(this.#pick());
  }

  hostUpdate(): void {
    this.#follow(this.#pick());
  }

  hostDisconnected(): void {
    this.#follow(undefined);
  }

  #follow(target: EventTarget | undefined): void {
    if (target === this.#watched) return;
    this.#watched?.removeEventListener('change', this.#onChange);
    this.#watched = target;
    target?.addEventListener('change', this.#onChange);
  }
}

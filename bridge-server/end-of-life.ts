import type { HostBackend } from './host-backend.ts';
import type { OpenSandboxes } from './open-sandboxes.ts';

export interface EndOfLifeOptions {
  readonly backend: Pick<HostBackend, 'expired' | 'delete'>;
  readonly sandboxes: Pick<OpenSandboxes, 'close'>;
  readonly everyMs: number;
  readonly onDeleted: (id: string) => void;
  /** It is tried again. */
  readonly onFailed: (id: string | undefined, error: unknown) => void;
}

/** Deletes sandboxes when their end has come, whoever uses them: those too whose end came while no bridge ran. */
export class EndOfLife implements AsyncDisposable {
  readonly #options: EndOfLifeOptions;
  readonly #timer: NodeJS.Timeout;
  #round: Promise<void> | undefined;

  constructor(options: EndOfLifeOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#begin(), options.everyMs).unref();
    this.#begin();
  }

  /** Resolves when what is under way has ended; nothing begins after. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#round;
  }

  /** One round at a time. */
  #begin(): void {
    this.#round ??= this.#deleteExpired().finally(() => {
      this.#round = undefined;
    });
  }

  async #deleteExpired(): Promise<void> {
    const { backend, sandboxes, onDeleted, onFailed } = this.#options;
    try {
      for (const id of await backend.expired(Date.now())) {
        try {
          // What cannot be saved any more need not be.
          await sandboxes.close(id, { deletes: true }).catch(() => undefined);
          await backend.delete({ id });
          onDeleted(id);
        } catch (error) {
          onFailed(id, error);
        }
      }
    } catch (error) {
      onFailed(undefined, error);
    }
  }
}

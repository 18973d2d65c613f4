import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';

/** A backend that is let go of. */
export interface OpenedBackend extends AsyncDisposable {
  readonly backend: SandboxBackend;
}

interface Closable {
  close(): Promise<void>;
}

/** Sandboxes that are opened when they are first needed, and let go of when nothing of them is in use any more. */
export class HostInUse {
  readonly #open: () => Promise<OpenedBackend>;
  #opened: Promise<OpenedBackend> | undefined;
  /** Of the one before: a folder is let go of before it is taken again. */
  #closed: Promise<void> = Promise.resolve();
  #users = 0;

  constructor(open: () => Promise<OpenedBackend>) {
    this.#open = open;
  }

  get isInUse(): boolean {
    return this.#users > 0;
  }

  /** Uses them for one call. @throws as `open`, and what `work` throws */
  async use<Result>(work: (backend: SandboxBackend) => Promise<Result>): Promise<Result> {
    this.#users += 1;
    try {
      const { backend } = await this.#acquire();
      return await work(backend);
    } finally {
      await this.#release();
    }
  }

  /** The same for what `open` opens, until that is closed: `wrap` makes it close by what it is given. @throws as `use` */
  async useUntilClosed<Handle extends Closable>(
    open: (backend: SandboxBackend) => Promise<Handle>,
    wrap: (handle: Handle, close: () => Promise<void>) => Handle,
  ): Promise<Handle> {
    this.#users += 1;
    try {
      const { backend } = await this.#acquire();
      const handle = await open(backend);
      let closed: Promise<void> | undefined;
      return wrap(handle, () => {
        closed ??= handle.close().finally(() => this.#release());
        return closed;
      });
    } catch (error) {
      await this.#release();
      throw error;
    }
  }

  #acquire(): Promise<OpenedBackend> {
    if (this.#opened) return this.#opened;
    const opening = this.#closed.then(this.#open);
    this.#opened = opening;
    opening.catch(() => {
      if (this.#opened === opening) this.#opened = undefined;
    });
    return opening;
  }

  async #release(): Promise<void> {
    this.#users -= 1;
    const opened = this.#opened;
    if (this.#users > 0 || !opened) return;
    this.#opened = undefined;
    const closing = opened.then(
      (place) => place[Symbol.asyncDispose](),
      () => undefined, // It never opened.
    );
    this.#closed = closing.catch(() => undefined);
    await closing;
  }
}

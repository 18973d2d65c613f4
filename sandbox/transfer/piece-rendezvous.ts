import { SandboxError } from '../../protocol/errors.ts';

type Result = IteratorResult<Uint8Array, undefined>;

/**
 * Bytes that one side gives and the other iterates over: a piece at a time, and none is kept beside
 * the one that was given last. Each side makes one call at a time.
 */
export class PieceRendezvous implements AsyncIterableIterator<Uint8Array, undefined> {
  #given = Promise.withResolvers<Result>();
  #taken = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #failure: SandboxError | undefined;
  #isWaiting = false;
  #isStopped = false;

  constructor() {
    // Both may be rejected while nobody waits for them.
    this.#given.promise.catch(() => undefined);
    this.#ended.promise.catch(() => undefined);
  }

  /** Resolves when the giving side has said that this was all. Rejects with what it failed with. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /**
   * Resolves when the piece is taken, which is then the other side's; never when that has stopped, so
   * wait for the end of that too. More than it wants is a failure (`ended`).
   */
  async give(bytes: Uint8Array): Promise<void> {
    if (this.#isStopped) this.#overrun();
    const { promise } = this.#taken;
    this.#isWaiting = true;
    this.#given.resolve({ done: false, value: bytes });
    await promise;
  }

  /** Says that this was all. */
  end(): void {
    this.#given.resolve({ done: true, value: undefined });
    this.#ended.resolve();
  }

  /** Says that there will be no more, and why. */
  fail(error: SandboxError): void {
    this.#failure ??= error;
    this.#given.reject(error);
    this.#ended.reject(error);
  }

  async next(): Promise<Result> {
    // It may have come while a piece waited, of which no more is wanted then.
    if (this.#failure) throw this.#failure;
    const result = await this.#given.promise;
    if (result.done) return result;
    this.#given = Promise.withResolvers();
    this.#given.promise.catch(() => undefined);
    const { resolve } = this.#taken;
    this.#taken = Promise.withResolvers();
    this.#isWaiting = false;
    resolve();
    return result;
  }

  async return(): Promise<Result> {
    this.#isStopped = true;
    if (this.#isWaiting) this.#overrun();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #overrun(): void {
    this.fail(
      new SandboxError('corrupt-object', 'Cannot take in the snapshot: bytes follow its last object'),
    );
  }
}

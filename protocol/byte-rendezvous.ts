import { SandboxError } from './errors.ts';

type Given = { readonly bytes: Uint8Array | undefined } | { readonly error: SandboxError };

/**
 * Bytes from one who is told of them to one who reads them, a piece at a time: while nobody reads, `give` waits. Each
 * side makes one call at a time.
 */
export class ByteRendezvous {
  #given = Promise.withResolvers<Given>();
  #taken = Promise.withResolvers<void>();
  #last: Given | undefined;

  /** Resolves when the piece is read, or nobody wants it any more. */
  async give(bytes: Uint8Array): Promise<void> {
    if (this.#last) return;
    const { promise } = this.#taken;
    this.#given.resolve({ bytes });
    await promise;
  }

  /** Says that this was all; what was given before is still read. */
  end(): void {
    this.#finish({ bytes: undefined });
  }

  /** Says that there will be no more, and why; what was given before is still read. After `end` it changes nothing. */
  fail(error: SandboxError): void {
    this.#finish({ error });
  }

  /** Nobody reads any more: whoever does, or gives, is let go. */
  close(): void {
    this.#last = { error: closedError() };
    this.#given.resolve(this.#last);
    this.#given = Promise.withResolvers();
    this.#given.resolve(this.#last);
    this.#taken.resolve();
  }

  async read(): Promise<Uint8Array | undefined> {
    const given = await this.#given.promise;
    if ('error' in given) throw given.error;
    if (given.bytes === undefined) return undefined;
    this.#given = Promise.withResolvers();
    if (this.#last) this.#given.resolve(this.#last);
    const { resolve } = this.#taken;
    this.#taken = Promise.withResolvers();
    resolve();
    return given.bytes;
  }

  #finish(last: Given): void {
    if (this.#last) return;
    this.#last = last;
    // A piece that waits to be read comes first: reading it puts this in its place.
    this.#given.resolve(last);
  }
}

function closedError(): SandboxError {
  return new SandboxError('connection-lost', 'Cannot read: the stream was closed');
}

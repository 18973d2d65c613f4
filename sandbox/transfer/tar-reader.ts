import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { ArchivePiece, ArchiveReader } from '../../protocol/sandbox/transfer.ts';

export interface TarReaderOptions {
  /** Where whoever makes `parts` puts the paths that it leaves out; taken out as they are told. */
  readonly missing?: string[];
  /** Has what the next parts are made of come; called before a piece, and at parts that are empty, before which much was read. */
  readonly readAhead?: () => Promise<void> | undefined;
  /** Throws when there is nothing to read from any more. */
  readonly assertOpen?: () => void;
  readonly close?: () => Promise<void>;
}

/** An archive that is made while it is read, a piece at a time: nothing is made ahead. */
export class TarReader implements ArchiveReader {
  readonly #parts: Iterator<Uint8Array>;
  readonly #options: TarReaderOptions;
  /** Of a part that did not fit its piece. */
  #rest: Uint8Array = new Uint8Array(0);
  #closed: Promise<void> | undefined;

  constructor(parts: Iterable<Uint8Array>, options: TarReaderOptions = {}) {
    this.#parts = parts[Symbol.iterator]();
    this.#options = options;
  }

  async read(): Promise<ArchivePiece | undefined> {
    const { missing = [] } = this.#options;
    await this.#readAhead();
    const bytes = new Uint8Array(limits.archivePieceBytes);
    let length = 0;
    while (length < bytes.length && missing.length < limits.archivePieceMissing) {
      const part = this.#rest.length > 0 ? this.#rest : this.#next();
      if (!part) break;
      if (part.length === 0) await this.#readAhead();
      const count = Math.min(part.length, bytes.length - length);
      bytes.set(part.subarray(0, count), length);
      this.#rest = part.subarray(count);
      length += count;
    }
    if (length === 0 && missing.length === 0) return undefined;
    return { bytes: bytes.subarray(0, length), missing: missing.splice(0) };
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      this.#parts.return?.();
      await this.#options.close?.();
    })();
    return this.#closed;
  }

  async #readAhead(): Promise<void> {
    this.#assertOpen();
    await this.#options.readAhead?.();
    this.#assertOpen();
  }

  #assertOpen(): void {
    if (this.#closed) throw new SandboxError('connection-lost', 'The archive was closed');
    this.#options.assertOpen?.();
  }

  #next(): Uint8Array | undefined {
    try {
      const { done, value } = this.#parts.next();
      return done ? undefined : value;
    } catch (cause) {
      if (cause instanceof SandboxError) throw cause;
      throw new SandboxError('missing-object', cause instanceof Error ? cause.message : String(cause), {
        cause,
      });
    }
  }
}

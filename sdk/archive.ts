import { limits } from '../protocol/limits.ts';
import type { ArchiveReader } from '../protocol/sandbox/transfer.ts';

/**
 * A tar archive that is made while it is read: `for await` its pieces, once. Leaving the loop, or
 * `close`, lets go of it; whoever does neither keeps the store it is made from open.
 */
export class Archive implements AsyncIterable<Uint8Array>, AsyncDisposable {
  readonly #reader: ArchiveReader;
  readonly #missing: string[] = [];
  #missingCount = 0;

  constructor(reader: ArchiveReader) {
    this.#reader = reader;
  }

  /**
   * Paths that are not in the archive because they cannot be read, as far as it has been read; cut at
   * `limits.archiveMissing`. One that ends in a slash is a directory of which entries are missing.
   */
  get missing(): readonly string[] {
    return this.#missing;
  }

  /** How many there are. */
  get missingCount(): number {
    return this.#missingCount;
  }

  /** @throws missing-object, corrupt-object, connection-lost */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    try {
      for (let piece = await this.#reader.read(); piece; piece = await this.#reader.read()) {
        this.#missingCount += piece.missing.length;
        this.#missing.push(...piece.missing.slice(0, limits.archiveMissing - this.#missing.length));
        if (piece.bytes.length > 0) yield piece.bytes;
      }
    } finally {
      await this.close();
    }
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

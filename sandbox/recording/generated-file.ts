import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { ArchivePiece, ArchiveReader } from '../../protocol/sandbox/transfer.ts';

/** A file that is made while it is read: nothing is made ahead. */
export class GeneratedFile implements ArchiveReader {
  readonly #pieces: AsyncGenerator<Uint8Array>;
  readonly #assertOpen: () => void;
  #rest: Uint8Array | undefined;
  #isClosed = false;

  constructor(pieces: AsyncGenerator<Uint8Array>, options: { readonly assertOpen: () => void }) {
    this.#pieces = pieces;
    this.#assertOpen = options.assertOpen;
  }

  async read(): Promise<ArchivePiece | undefined> {
    if (this.#isClosed) throw new SandboxError('connection-lost', 'Cannot read the file: it is closed');
    this.#assertOpen();
    const piece = this.#rest ?? (await this.#next());
    const most = limits.archivePieceBytes;
    this.#rest = piece && piece.length > most ? piece.subarray(most) : undefined;
    // In memory of its own: whoever reads it may give it away.
    return piece && { bytes: piece.slice(0, most), missing: [] };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pieces.return(undefined);
  }

  async #next(): Promise<Uint8Array | undefined> {
    try {
      const { done, value } = await this.#pieces.next();
      return done ? undefined : value;
    } catch (error) {
      throw SandboxError.from(error);
    }
  }
}

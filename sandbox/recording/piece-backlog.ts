import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { ArchivePiece, ArchiveReader } from '../../protocol/sandbox/transfer.ts';

/** The file of a recording between who writes and who reads it: nothing of it waits for the reader. */
export class PieceBacklog implements ArchiveReader {
  readonly #pieces: Uint8Array[] = [];
  readonly #onClose: () => void;
  #bytes = 0;
  #end: { readonly error: SandboxError | undefined } | undefined;
  #isClosed = false;
  #mostBytes: number = limits.recordingReadAheadBytes;
  #reading: PromiseWithResolvers<void> | undefined;
  #roomWanted: PromiseWithResolvers<void> | undefined;

  /** `onClose`: the reader gives it up. */
  constructor(onClose: () => void) {
    this.#onClose = onClose;
  }

  /** Bytes that the reader has not taken. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes the bytes, which are the backlog's from then on. */
  push(bytes: Uint8Array): void {
    if (this.#isClosed || this.#end || bytes.length === 0) return;
    this.#bytes += bytes.length;
    this.#pieces.push(bytes);
    this.#reading?.resolve();
  }

  /** Resolves once little enough waits for the reader (`widen`), or nobody reads any more. */
  async room(): Promise<void> {
    while (this.#bytes >= this.#mostBytes && !this.#isClosed) {
      this.#roomWanted ??= Promise.withResolvers();
      await this.#roomWanted.promise;
    }
  }

  /** The end is near: there is room for so many bytes. */
  widen(mostBytes: number): void {
    this.#mostBytes = mostBytes;
    this.#makeRoom();
  }

  /** What was pushed is all of it. */
  finish(error?: SandboxError): void {
    this.#end ??= { error };
    this.#reading?.resolve();
  }

  async read(): Promise<ArchivePiece | undefined> {
    while (this.#pieces.length === 0 && !this.#end && !this.#isClosed) {
      this.#reading = Promise.withResolvers();
      await this.#reading.promise;
    }
    this.#reading = undefined;
    if (this.#isClosed) throw new SandboxError('connection-lost', 'Cannot read the recording: it is closed');
    const piece = this.#take();
    if (piece) return { bytes: piece, missing: [] };
    if (this.#end?.error) throw this.#end.error;
    return undefined;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#pieces.length = 0;
    this.#reading?.resolve();
    this.#makeRoom();
    this.#onClose();
  }

  /** The next bytes, in memory of their own: whoever reads them may give it away. */
  #take(): Uint8Array | undefined {
    const first = this.#pieces.shift();
    if (!first) return undefined;
    const most = limits.archivePieceBytes;
    if (first.length > most) this.#pieces.unshift(first.subarray(most));
    const piece = first.slice(0, most);
    this.#bytes -= piece.length;
    this.#makeRoom();
    return piece;
  }

  #makeRoom(): void {
    this.#roomWanted?.resolve();
    this.#roomWanted = undefined;
  }
}

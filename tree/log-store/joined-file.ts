import type { LogFile } from './log-file.ts';

/** A file of a log, and the offset in the log at which it begins. */
export interface LogPiece {
  readonly start: number;
  readonly file: LogFile;
}

/**
 * Several consecutive files as one. Only the last is written to: another store may share the others. Owns all of
 * them.
 */
export class JoinedFile implements LogFile {
  readonly #pieces: readonly LogPiece[];
  readonly #last: LogPiece;

  /** The pieces in order, the first at 0; `last` is the one to write to. */
  constructor(frozen: readonly LogPiece[], last: LogPiece) {
    this.#pieces = [...frozen, last];
    this.#last = last;
  }

  get frozenBytes(): number {
    return this.#last.start;
  }

  /**
   * If a frozen file is too short, the missing bytes read as zeros, so that the offsets of the next files stay the
   * same.
   */
  read(into: Uint8Array, at: number): number {
    let done = 0;
    for (const [n, { start, file }] of this.#pieces.entries()) {
      const end = this.#pieces[n + 1]?.start ?? Number.POSITIVE_INFINITY;
      const from = at + done;
      if (from >= end || done === into.length) continue;
      const part = into.subarray(done, done + Math.min(into.length - done, end - from));
      const found = file.read(part, from - start);
      if (n === this.#pieces.length - 1) return done + found;
      part.fill(0, found);
      done += part.length;
    }
    return done;
  }

  /** @throws RangeError for bytes that are frozen */
  write(bytes: Uint8Array, at: number): number {
    return this.#last.file.write(bytes, this.#inLast(at));
  }

  /** @throws RangeError for bytes that are frozen */
  truncate(sizeBytes: number): void {
    this.#last.file.truncate(this.#inLast(sizeBytes));
  }

  flush(): void {
    this.#last.file.flush();
  }

  size(): number {
    return this.#last.start + this.#last.file.size();
  }

  close(): void {
    for (const { file } of this.#pieces) file.close();
  }

  #inLast(at: number): number {
    if (at < this.frozenBytes) throw new RangeError(`Offset ${at} is in a file that must not change`);
    return at - this.#last.start;
  }
}

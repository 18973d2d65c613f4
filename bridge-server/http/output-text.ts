import { limits } from '../../protocol/limits.ts';

export type OutputEncoding = 'utf8' | 'base64';

/** One output stream of a command, kept up to `limits.resultOutputBytes`; the rest is counted. */
export class OutputText {
  readonly #parts: Buffer[] = [];
  #keptBytes = 0;
  #droppedBytes = 0;

  get droppedBytes(): number {
    return this.#droppedBytes;
  }

  push(bytes: Uint8Array): void {
    const room = limits.resultOutputBytes - this.#keptBytes;
    const kept = bytes.subarray(0, room);
    // A copy: the bytes are the sandbox's, and may be a view of far more.
    if (kept.length > 0) this.#parts.push(Buffer.from(kept));
    this.#keptBytes += kept.length;
    this.#droppedBytes += bytes.length - kept.length;
  }

  /** With `utf8`, bytes that are no UTF-8 become U+FFFD. */
  text(encoding: OutputEncoding): string {
    return Buffer.concat(this.#parts).toString(encoding);
  }
}

/** Turns pieces of an output stream into text, one after the other; a character may span two of them. */
export function outputDecoder(encoding: OutputEncoding): (bytes?: Uint8Array) => string {
  if (encoding === 'base64') return (bytes) => Buffer.from(bytes ?? []).toString('base64');
  const decoder = new TextDecoder();
  return (bytes) => decoder.decode(bytes, { stream: bytes !== undefined });
}

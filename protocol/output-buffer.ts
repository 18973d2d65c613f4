import { limits } from './limits.ts';

/** Collects one output stream up to `limits.resultOutputBytes`; what comes after is counted, not kept. */
export class OutputBuffer {
  readonly #parts: Uint8Array[] = [];
  #keptBytes = 0;
  #droppedBytes = 0;

  get droppedBytes(): number {
    return this.#droppedBytes;
  }

  push(bytes: Uint8Array): void {
    const room = limits.resultOutputBytes - this.#keptBytes;
    const kept = bytes.length <= room ? bytes : bytes.subarray(0, room);
    // A copy: it may be a view of far more.
    if (kept.length > 0) this.#parts.push(new Uint8Array(kept));
    this.#keptBytes += kept.length;
    this.#droppedBytes += bytes.length - kept.length;
  }

  /** Everything kept. */
  bytes(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#keptBytes);
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }

  /** Everything kept, as text; bytes that are not UTF-8 become U+FFFD. */
  text(): string {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    return (
      this.#parts.map((part) => decoder.decode(part, { stream: true })).join('') +
      decoder.decode(new Uint8Array(0))
    );
  }
}

import { GrowingBytes } from './growing-bytes.ts';
import { limits } from './limits.ts';

/** Collects one output stream up to `limits.resultOutputBytes`; what comes after is counted, not kept. */
export class OutputBuffer {
  readonly #kept = new GrowingBytes();
  #droppedBytes = 0;

  get droppedBytes(): number {
    return this.#droppedBytes;
  }

  push(bytes: Uint8Array): void {
    const room = limits.resultOutputBytes - this.#kept.length;
    const kept = bytes.length <= room ? bytes : bytes.subarray(0, room);
    this.#kept.add(kept);
    this.#droppedBytes += bytes.length - kept.length;
  }

  /** Everything kept. */
  bytes(): Uint8Array<ArrayBuffer> {
    return this.#kept.view.slice();
  }

  /** Everything kept, as text; bytes that are not UTF-8 become U+FFFD. */
  text(): string {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.#kept.view);
  }
}

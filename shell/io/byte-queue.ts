/** Bytes in the order in which they came. */
export class ByteQueue {
  readonly #chunks: Uint8Array[] = [];
  #lengthBytes = 0;

  get lengthBytes(): number {
    return this.#lengthBytes;
  }

  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#chunks.push(bytes);
    this.#lengthBytes += bytes.length;
  }

  unshift(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#chunks.unshift(bytes);
    this.#lengthBytes += bytes.length;
  }

  /** The first bytes: at least one, unless it is empty, and at most `maxBytes`. */
  take(maxBytes: number): Uint8Array {
    const first = this.#chunks[0];
    if (!first || maxBytes <= 0) return new Uint8Array(0);
    if (first.length <= maxBytes) {
      this.#chunks.shift();
      this.#lengthBytes -= first.length;
      return this.#join(first, maxBytes);
    }
    this.#chunks[0] = first.subarray(maxBytes);
    this.#lengthBytes -= maxBytes;
    return first.subarray(0, maxBytes);
  }

  clear(): void {
    this.#chunks.length = 0;
    this.#lengthBytes = 0;
  }

  /** Many small chunks are answered as one, such that a reader's work depends on the bytes and not on the writes. */
  #join(first: Uint8Array, maxBytes: number): Uint8Array {
    const taken = [first];
    let lengthBytes = first.length;
    for (let next = this.#chunks[0]; next && lengthBytes + next.length <= maxBytes; next = this.#chunks[0]) {
      taken.push(next);
      lengthBytes += next.length;
      this.#chunks.shift();
    }
    if (taken.length === 1) return first;
    const joined = new Uint8Array(lengthBytes);
    let offset = 0;
    for (const chunk of taken) {
      joined.set(chunk, offset);
      offset += chunk.length;
    }
    this.#lengthBytes -= lengthBytes - first.length;
    return joined;
  }
}

/**
 * Cuts output between characters: the package decodes each piece by itself. What is no UTF-8 passes as it is.
 */
export class Utf8Pieces {
  #held = new Uint8Array(0);

  /** The bytes to pass on now: those held back before, and these without a character that has not ended. */
  push(bytes: Uint8Array): Uint8Array {
    const all = new Uint8Array(this.#held.length + bytes.length);
    all.set(this.#held);
    all.set(bytes, this.#held.length);
    const end = all.length - unfinishedBytes(all);
    this.#held = all.slice(end);
    return all.slice(0, end);
  }

  /** What is left of a character that never ends. */
  end(): Uint8Array {
    const rest = this.#held;
    this.#held = new Uint8Array(0);
    return rest;
  }
}

/** How many bytes at the end begin a character that goes on. */
function unfinishedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

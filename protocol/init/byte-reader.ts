import { SandboxError } from '../errors.ts';

const decoder = new TextDecoder();

/** Reads one body front to back. Bodies are hostile: everything throws `protocol-violation` past the end. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  /** A u64 that must be a safe integer: times in microseconds, sizes in bytes. */
  u64(): number {
    const value = this.#view.getBigUint64(this.#take(8), true);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw violation('a number is too large');
    return Number(value);
  }

  bytes(count: number): Uint8Array {
    const at = this.#take(count);
    return this.#bytes.subarray(at, at + count);
  }

  /** NUL-terminated UTF-8; other bytes become U+FFFD. */
  text(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    if (end < 0) throw violation('a text does not end');
    const text = decoder.decode(this.#bytes.subarray(this.#at, end));
    this.#at = end + 1;
    return text;
  }

  texts(): string[] {
    const count = this.u16();
    return Array.from({ length: count }, () => this.text());
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** @throws protocol-violation when bytes are left over */
  end(): void {
    if (!this.isAtEnd) throw violation('bytes are left over');
  }

  #take(count: number): number {
    const at = this.#at;
    if (this.#bytes.length - at < count) throw violation('it is too short');
    this.#at = at + count;
    return at;
  }
}

function violation(why: string): SandboxError {
  return new SandboxError('protocol-violation', `Cannot read a frame from init: ${why}`);
}

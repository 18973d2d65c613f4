import { SandboxError } from '../errors.ts';
import { limits } from '../limits.ts';
import { headerBytes, writeHeader } from './frame-header.ts';

const encoder = new TextEncoder();

/** Builds one frame in a buffer that grows up to `limits.initFrameBytes` of body. */
export class ByteWriter {
  #bytes = new Uint8Array(headerBytes + 119);
  #used = headerBytes;

  u8(value: number): this {
    this.#view(1).setUint8(0, value);
    return this;
  }

  u16(value: number): this {
    this.#view(2).setUint16(0, value, true);
    return this;
  }

  u32(value: number): this {
    this.#view(4).setUint32(0, value, true);
    return this;
  }

  u64(value: bigint): this {
    this.#view(8).setBigUint64(0, value, true);
    return this;
  }

  bytes(value: Uint8Array): this {
    const at = this.#grow(value.length);
    this.#bytes.set(value, at);
    return this;
  }

  /** UTF-8 and a NUL. @throws invalid-argument when the text holds a NUL itself */
  text(value: string): this {
    if (value.includes('\0')) {
      throw new SandboxError(
        'invalid-argument',
        `Cannot pass a text that contains NUL: ${JSON.stringify(value)}`,
      );
    }
    return this.bytes(encoder.encode(value)).u8(0);
  }

  texts(values: readonly string[]): this {
    this.u16(values.length);
    for (const value of values) this.text(value);
    return this;
  }

  /** The finished frame. */
  frame(type: number, id: number): Uint8Array {
    writeHeader(this.#bytes, { type, id, bodyBytes: this.#used - headerBytes });
    return this.#bytes.subarray(0, this.#used);
  }

  #view(bytes: number): DataView {
    const at = this.#grow(bytes);
    return new DataView(this.#bytes.buffer, at, bytes);
  }

  #grow(bytes: number): number {
    const at = this.#used;
    this.#used += bytes;
    if (this.#used > headerBytes + limits.initFrameBytes) {
      throw new SandboxError(
        'limit-exceeded',
        `Cannot send a frame of more than ${limits.initFrameBytes} bytes`,
      );
    }
    if (this.#used > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#used, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, at));
      this.#bytes = grown;
    }
    return at;
  }
}

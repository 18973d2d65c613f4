import { toByteString, writeByteString } from '../../tree/content/byte-string.ts';
import { type MessageName, messageType } from '../../tree/ninep/message-type.ts';

/** A 9P request that is put together field by field. */
export class Message {
  readonly #bytes: number[] = [0, 0, 0, 0];

  constructor(type: MessageName | number, tag = 1) {
    this.u8(typeof type === 'number' ? type : messageType[type]).u16(tag);
  }

  u8(value: number): this {
    this.#bytes.push(value & 0xff);
    return this;
  }

  u16(value: number): this {
    return this.u8(value).u8(value >>> 8);
  }

  u32(value: number): this {
    return this.u16(value).u16(value >>> 16);
  }

  u64(value: number | bigint): this {
    const bits = BigInt.asUintN(64, BigInt(value));
    return this.u32(Number(bits & 0xffff_ffffn)).u32(Number(bits >> 32n));
  }

  /** Text as UTF-8. */
  text(value: string): this {
    const name = toByteString(value);
    const bytes = new Uint8Array(name.length);
    writeByteString(name, bytes, 0);
    return this.u16(bytes.length).data(bytes);
  }

  data(bytes: Uint8Array): this {
    for (const byte of bytes) this.#bytes.push(byte);
    return this;
  }

  /** The whole message, its size filled in. */
  finish(): Uint8Array {
    const bytes = Uint8Array.from(this.#bytes);
    new DataView(bytes.buffer).setUint32(0, bytes.length, true);
    return bytes;
  }
}

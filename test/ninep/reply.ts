import { readByteString, toDisplayText } from '../../tree/content/byte-string.ts';
import { errno } from '../../tree/live/errno.ts';
import { errorReplyType } from '../../tree/ninep/message-type.ts';

export interface Qid {
  readonly type: number;
  readonly version: number;
  readonly path: number;
}

/** Rlerror, as `errno` names it. */
class NinePError extends Error {
  readonly errno: number;

  constructor(number: number) {
    super(Object.entries(errno).find(([, value]) => value === number)?.[0] ?? `errno ${number}`);
    this.errno = number;
  }
}

/** Reads a reply field by field. Its bytes are its own. @throws NinePError when it is Rlerror */
export class Reply {
  readonly type: number;
  readonly tag: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly #view: DataView;
  #at = 7;

  constructor(bytes: Uint8Array) {
    this.bytes = new Uint8Array(bytes);
    this.#view = new DataView(this.bytes.buffer);
    if (this.#view.getUint32(0, true) !== this.bytes.length)
      throw new RangeError('The reply has a wrong size field');
    this.type = this.#view.getUint8(4);
    this.tag = this.#view.getUint16(5, true);
    if (this.type === errorReplyType) throw new NinePError(this.u32());
  }

  get remaining(): number {
    return this.bytes.length - this.#at;
  }

  u8(): number {
    return this.#view.getUint8(this.#skip(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#skip(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#skip(4), true);
  }

  u64(): number {
    return Number(this.#view.getBigInt64(this.#skip(8), true));
  }

  text(): string {
    const length = this.u16();
    return toDisplayText(readByteString(this.bytes, this.#skip(length), length));
  }

  data(count: number): Uint8Array {
    const at = this.#skip(count);
    return this.bytes.slice(at, at + count);
  }

  qid(): Qid {
    return { type: this.u8(), version: this.u32(), path: this.u64() };
  }

  /** Asserts that nothing is left, and passes `value` on. */
  end<T>(value: T): T {
    if (this.remaining !== 0) throw new RangeError(`${this.remaining} bytes are left of the reply`);
    return value;
  }

  #skip(count: number): number {
    this.#at += count;
    return this.#at - count;
  }
}

import { SandboxError } from '../../../protocol/errors.ts';
import { joinBytes } from '../../../tree/join-bytes.ts';

const mostDepth = 256;

/** Reads a MessagePack value: maps, lists, texts, bytes, whole numbers, true, false and nil (msgpack's spec.md). @throws invalid-argument */
export function readMessagePack(bytes: Uint8Array): unknown {
  const reader = new Reader(bytes);
  const value = reader.value(0);
  if (!reader.isAtEnd) throw damaged();
  return value;
}

/** Writes maps, texts, bytes, `true` and `false`. */
export function writeMessagePack(value: unknown): Uint8Array {
  const pieces: Uint8Array[] = [];
  write(value, pieces);
  return joinBytes(
    pieces,
    pieces.reduce((sum, piece) => sum + piece.length, 0),
  );
}

class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  value(depth: number): unknown {
    if (depth > mostDepth) throw damaged();
    const tag = this.#number(1);
    if (tag < 0x80) return tag;
    if (tag < 0x90) return this.#map(tag & 0x0f, depth);
    if (tag < 0xa0) return this.#list(tag & 0x0f, depth);
    if (tag < 0xc0) return this.#text(tag & 0x1f);
    switch (tag) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return this.#take(this.#number(1 << (tag - 0xc4)));
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.#number(1 << (tag - 0xcc));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#text(this.#number(1 << (tag - 0xd9)));
      case 0xdc:
      case 0xdd:
        return this.#list(this.#number(2 << (tag - 0xdc)), depth);
      case 0xde:
      case 0xdf:
        return this.#map(this.#number(2 << (tag - 0xde)), depth);
      default:
        throw damaged();
    }
  }

  #map(count: number, depth: number): Record<string, unknown> {
    const map = Object.create(null) as Record<string, unknown>;
    for (let index = 0; index < count; index++) {
      const key = this.value(depth + 1);
      if (typeof key !== 'string') throw damaged();
      map[key] = this.value(depth + 1);
    }
    return map;
  }

  #list(count: number, depth: number): unknown[] {
    const list: unknown[] = [];
    for (let index = 0; index < count; index++) list.push(this.value(depth + 1));
    return list;
  }

  #text(count: number): string {
    return new TextDecoder().decode(this.#take(count));
  }

  #take(count: number): Uint8Array {
    if (this.#at + count > this.#bytes.length) throw damaged();
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  /** Of 1, 2 or 4 bytes. */
  #number(count: number): number {
    if (this.#at + count > this.#bytes.length) throw damaged();
    const at = this.#at;
    this.#at += count;
    if (count === 1) return this.#view.getUint8(at);
    return count === 2 ? this.#view.getUint16(at) : this.#view.getUint32(at);
  }
}

function write(value: unknown, pieces: Uint8Array[]): void {
  if (value === true || value === false) pieces.push(Uint8Array.of(value ? 0xc3 : 0xc2));
  else if (typeof value === 'string') {
    const bytes = new TextEncoder().encode(value);
    pieces.push(head(0xdb, bytes.length), bytes);
  } else if (value instanceof Uint8Array) pieces.push(head(0xc6, value.length), value);
  else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    pieces.push(head(0xdf, entries.length));
    for (const [key, member] of entries) {
      write(key, pieces);
      write(member, pieces);
    }
  } else throw new RangeError(`Cannot write a ${typeof value} as MessagePack`);
}

function head(tag: number, count: number): Uint8Array {
  const bytes = new Uint8Array(5);
  bytes[0] = tag;
  new DataView(bytes.buffer).setUint32(1, count);
  return bytes;
}

function damaged(): SandboxError {
  return new SandboxError(
    'invalid-argument',
    'Cannot read the snapshot: it is damaged, or none of @webcontainer/snapshot',
  );
}

import type { ByteString } from '../content/byte-string.ts';
import { readByteString } from '../content/byte-string.ts';
import { decodeTarHeader } from './decode-tar-header.ts';
import type { PaxRecords } from './pax-records.ts';
import { parsePaxRecords } from './pax-records.ts';
import type { TarEntry } from './tar-entry.ts';
import { tarBlockBytes } from './tar-entry.ts';
import { tarLimits } from './tar-limits.ts';

/** The parser's callbacks, in order: a member, its data in pieces (views, valid during the call), its end. */
export interface TarHandler {
  entry(entry: TarEntry): void;
  data(bytes: Uint8Array): void;
  end(): void;
}

/** Parses ustar, pax and GNU archives from pieces of any size. Keeps one header at a time. */
export class TarParser {
  readonly #handler: TarHandler;
  readonly #globals: PaxRecords = new Map();
  #locals: PaxRecords = new Map();
  /** An incomplete block. */
  #held: Uint8Array = new Uint8Array(0);
  /** Data of the current member that is still to come, and the padding after it. */
  #dataLeft = 0;
  #paddingLeft = 0;
  /** An extended header whose body is being collected. */
  #extended: { readonly type: string; readonly body: Uint8Array; filled: number } | undefined;
  #isDone = false;

  constructor(handler: TarHandler) {
    this.#handler = handler;
  }

  /** Whether the end of the archive has been read; later bytes are ignored. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Takes the next piece. @throws RangeError naming the member and what is wrong with it */
  push(piece: Uint8Array): void {
    let rest = piece;
    if (this.#held.length > 0) {
      rest = new Uint8Array(this.#held.length + piece.length);
      rest.set(this.#held);
      rest.set(piece, this.#held.length);
      this.#held = new Uint8Array(0);
    }
    while (rest.length > 0 && !this.#isDone) {
      if (this.#dataLeft > 0) rest = this.#takeData(rest);
      else if (this.#paddingLeft > 0) rest = this.#takePadding(rest);
      else if (rest.length < tarBlockBytes) {
        this.#held = rest.slice();
        return;
      } else {
        this.#header(rest.subarray(0, tarBlockBytes));
        rest = rest.subarray(tarBlockBytes);
      }
    }
  }

  /** Ends the input. @throws RangeError when the archive ends within a member */
  end(): void {
    if (this.#isDone) return;
    if (
      this.#dataLeft + this.#paddingLeft + this.#held.length > 0 ||
      this.#extended ||
      this.#locals.size > 0
    ) {
      throw new RangeError('Cannot read tar: it ends early');
    }
  }

  #takeData(rest: Uint8Array): Uint8Array {
    const bytes = rest.subarray(0, this.#dataLeft);
    this.#dataLeft -= bytes.length;
    if (this.#extended) {
      this.#extended.body.set(bytes, this.#extended.filled);
      this.#extended.filled += bytes.length;
      if (this.#dataLeft === 0) this.#endExtended(this.#extended.type, this.#extended.body);
    } else {
      this.#handler.data(bytes);
      if (this.#dataLeft === 0) this.#handler.end();
    }
    return rest.subarray(bytes.length);
  }

  #takePadding(rest: Uint8Array): Uint8Array {
    const count = Math.min(rest.length, this.#paddingLeft);
    this.#paddingLeft -= count;
    return rest.subarray(count);
  }

  #header(block: Uint8Array): void {
    if (block.every((byte) => byte === 0)) {
      this.#isDone = true;
      return;
    }
    const header = decodeTarHeader(block, new Map([...this.#globals, ...this.#locals]));
    this.#expect(header.dataBytes);
    if (header.type === 'extended') {
      if (header.dataBytes > tarLimits.extendedHeaderBytes) {
        throw new RangeError(`Cannot read tar: an extended header has ${header.dataBytes} bytes`);
      }
      this.#extended = { type: header.typeflag, body: new Uint8Array(header.dataBytes), filled: 0 };
      if (header.dataBytes === 0) this.#endExtended(header.typeflag, this.#extended.body);
      return;
    }
    this.#locals = new Map();
    this.#handler.entry(header.entry);
    if (header.dataBytes === 0) this.#handler.end();
  }

  #expect(dataBytes: number): void {
    this.#dataLeft = dataBytes;
    this.#paddingLeft = (tarBlockBytes - (dataBytes % tarBlockBytes)) % tarBlockBytes;
  }

  #endExtended(typeflag: string, body: Uint8Array): void {
    this.#extended = undefined;
    if (typeflag === 'L') this.#locals.set('path', untilNul(body));
    else if (typeflag === 'K') this.#locals.set('linkpath', untilNul(body));
    else if (typeflag === 'g')
      this.#addRecords(this.#globals, parsePaxRecords(body), tarLimits.globalRecordsBytes);
    else this.#addRecords(this.#locals, parsePaxRecords(body), tarLimits.extendedHeaderBytes);
  }

  #addRecords(into: PaxRecords, records: PaxRecords, mostBytes: number): void {
    for (const [key, value] of records) into.set(key, value);
    if (into.size > tarLimits.paxRecords)
      throw new RangeError('Cannot read tar: it has too many pax records');
    const bytes = [...into].reduce((sum, [name, text]) => sum + name.length + text.length, 0);
    if (bytes > mostBytes) throw new RangeError('Cannot read tar: its pax records are too large');
  }
}

function untilNul(bytes: Uint8Array): ByteString {
  const end = bytes.indexOf(0);
  return readByteString(bytes, 0, end < 0 ? bytes.length : end);
}

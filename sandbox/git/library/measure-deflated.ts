/** How a zlib stream ends, and what it would inflate to. */
export interface DeflatedSize {
  /** The byte after the stream, its checksum included. */
  readonly end: number;
  /** How many bytes it inflates to. */
  readonly sizeBytes: number;
  /** The first of them, `keptBytes` at most. */
  readonly start: Uint8Array;
}

/** As much of what is inflated as is kept: the two sizes that begin a delta. */
const keptBytes = 32;
/** Bits of a code that are looked up at once. */
const shortBits = 9;
const lengthBases = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
  227, 258,
];
const lengthBits = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const distanceBases = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
  6145, 8193, 12289, 16385, 24577,
];
const codeLengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/**
 * Measures a zlib stream (RFC 1950, 1951) without inflating it: only its codes are read. `long` where it would inflate to more
 * than `mostBytes`, `damaged` where it is none.
 */
export function measureDeflated(
  bytes: Uint8Array,
  { from, mostBytes }: { readonly from: number; readonly mostBytes: number },
): DeflatedSize | 'long' | 'damaged' {
  const [method = 0, flags = 0] = bytes.subarray(from, from + 2);
  if ((method & 15) !== 8 || ((method << 8) | flags) % 31 !== 0 || (flags & 32) !== 0) return 'damaged';
  const reader = new BitReader(bytes, from + 2);
  const output = new CountedOutput(mostBytes);
  try {
    for (let isLast = false; !isLast; ) {
      isLast = reader.bits(1) === 1;
      const type = reader.bits(2);
      if (type === 0) copyStored(reader, output);
      else if (type === 1) readCodes(reader, output, fixedCodes);
      else if (type === 2) readCodes(reader, output, readDynamicCodes(reader));
      else return 'damaged';
      if (output.isLong) return 'long';
    }
  } catch (error) {
    if (error instanceof DamagedError) return 'damaged';
    throw error;
  }
  const end = reader.alignedOffset() + 4;
  return end > bytes.length ? 'damaged' : { end, sizeBytes: output.sizeBytes, start: output.start() };
}

class DamagedError extends Error {}

/** What would be inflated: its size and its start. */
class CountedOutput {
  readonly #mostBytes: number;
  readonly #kept = new Uint8Array(keptBytes);
  sizeBytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get isLong(): boolean {
    return this.sizeBytes > this.#mostBytes;
  }

  literal(byte: number): void {
    if (this.sizeBytes < keptBytes) this.#kept[this.sizeBytes] = byte;
    this.sizeBytes += 1;
  }

  match(length: number, distance: number): void {
    if (distance > this.sizeBytes) throw new DamagedError();
    const keptEnd = Math.min(this.sizeBytes + length, keptBytes);
    for (let at = this.sizeBytes; at < keptEnd; at++) this.#kept[at] = this.#kept[at - distance] ?? 0;
    this.sizeBytes += length;
  }

  start(): Uint8Array {
    return this.#kept.subarray(0, Math.min(this.sizeBytes, keptBytes));
  }
}

/** Bits of bytes, the lowest first. */
class BitReader {
  readonly #bytes: Uint8Array;
  #offset: number;
  #held = 0;
  #count = 0;

  constructor(bytes: Uint8Array, offset: number) {
    this.#bytes = bytes;
    this.#offset = offset;
  }

  /** 16 at most. */
  bits(count: number): number {
    while (this.#count < count) {
      const byte = this.#bytes[this.#offset++];
      if (byte === undefined) throw new DamagedError();
      this.#held |= byte << this.#count;
      this.#count += 8;
    }
    const bits = this.#held & ((1 << count) - 1);
    this.#held >>>= count;
    this.#count -= count;
    return bits;
  }

  /** The symbol of the next code. */
  symbol({ counts, symbols, short }: Codes): number {
    while (this.#count <= 16 && this.#offset < this.#bytes.length) {
      this.#held |= (this.#bytes[this.#offset++] ?? 0) << this.#count;
      this.#count += 8;
    }
    const found = short[this.#held & ((1 << shortBits) - 1)] ?? 0;
    const foundBits = found & 15;
    if (foundBits > 0 && foundBits <= this.#count) {
      this.#held >>>= foundBits;
      this.#count -= foundBits;
      return found >>> 4;
    }
    let [code, first, index] = [0, 0, 0];
    for (let length = 1; length < counts.length; length++) {
      code |= this.bits(1);
      const count = counts[length] ?? 0;
      if (code - count < first) return symbols[index + (code - first)] ?? 0;
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw new DamagedError();
  }

  /** The next whole byte; bits before it are passed over. */
  alignedOffset(): number {
    return this.#offset - (this.#count >>> 3);
  }

  skipTo(offset: number): void {
    this.#offset = offset;
    this.#held = 0;
    this.#count = 0;
  }
}

/** Canonical codes. */
interface Codes {
  /** How many there are of each length, and their symbols in order. */
  readonly counts: Uint16Array;
  readonly symbols: Uint16Array;
  /** By the next `shortBits` bits: the symbol times 16 and the length of its code; 0 where the code is longer. */
  readonly short: Uint16Array;
}

interface BlockCodes {
  readonly lengths: Codes;
  readonly distances: Codes;
}

function codesOf(lengths: readonly number[]): Codes {
  const counts = new Uint16Array(16);
  for (const length of lengths) counts[length] = (counts[length] ?? 0) + 1;
  counts[0] = 0;
  const offsets = new Uint16Array(17);
  for (let length = 1; length < 16; length++)
    offsets[length + 1] = (offsets[length] ?? 0) + (counts[length] ?? 0);
  const symbols = new Uint16Array(lengths.length);
  for (const [symbol, length] of lengths.entries()) {
    if (length === 0) continue;
    const at = offsets[length] ?? 0;
    symbols[at] = symbol;
    offsets[length] = at + 1;
  }
  return { counts, symbols, short: shortCodes(counts, symbols) };
}

function shortCodes(counts: Uint16Array, symbols: Uint16Array): Uint16Array {
  const short = new Uint16Array(1 << shortBits);
  let [code, index] = [0, 0];
  for (let length = 1; length <= shortBits; length++) {
    for (let count = counts[length] ?? 0; count > 0; count--, index++, code++) {
      let reversed = 0;
      for (let bit = 0; bit < length; bit++) reversed |= ((code >>> bit) & 1) << (length - 1 - bit);
      const found = ((symbols[index] ?? 0) << 4) | length;
      for (let at = reversed; at < short.length; at += 1 << length) short[at] = found;
    }
    code <<= 1;
  }
  return short;
}

/** Of blocks that bring no codes of their own, as those of small objects. */
const fixedCodes: BlockCodes = {
  lengths: codesOf(
    Array.from({ length: 288 }, (_, symbol) => (symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8)),
  ),
  distances: codesOf(Array.from({ length: 30 }, () => 5)),
};

function readDynamicCodes(reader: BitReader): BlockCodes {
  const [lengthCount, distanceCount, codeCount] = [
    reader.bits(5) + 257,
    reader.bits(5) + 1,
    reader.bits(4) + 4,
  ];
  const codeLengths = Array.from({ length: 19 }, () => 0);
  for (const symbol of codeLengthOrder.slice(0, codeCount)) codeLengths[symbol] = reader.bits(3);
  const codes = codesOf(codeLengths);
  const lengths: number[] = [];
  while (lengths.length < lengthCount + distanceCount) {
    const symbol = reader.symbol(codes);
    if (symbol < 16) lengths.push(symbol);
    else {
      if (symbol === 16 && lengths.length === 0) throw new DamagedError();
      const length = symbol === 16 ? (lengths.at(-1) ?? 0) : 0;
      const times =
        symbol === 16 ? 3 + reader.bits(2) : symbol === 17 ? 3 + reader.bits(3) : 11 + reader.bits(7);
      for (let time = 0; time < times; time++) lengths.push(length);
    }
  }
  if (lengths.length > lengthCount + distanceCount) throw new DamagedError();
  return { lengths: codesOf(lengths.slice(0, lengthCount)), distances: codesOf(lengths.slice(lengthCount)) };
}

function copyStored(reader: BitReader, output: CountedOutput): void {
  const from = reader.alignedOffset();
  reader.skipTo(from);
  const length = reader.bits(16);
  if ((reader.bits(16) ^ 0xffff) !== length) throw new DamagedError();
  const kept = Math.min(length, keptBytes);
  for (let at = 0; at < kept; at++) output.literal(reader.bits(8));
  output.sizeBytes += length - kept;
  reader.skipTo(from + 4 + length);
}

function readCodes(reader: BitReader, output: CountedOutput, { lengths, distances }: BlockCodes): void {
  while (!output.isLong) {
    const symbol = reader.symbol(lengths);
    if (symbol < 256) output.literal(symbol);
    else if (symbol === 256) return;
    else {
      const lengthBase = lengthBases[symbol - 257];
      if (lengthBase === undefined) throw new DamagedError();
      const length = lengthBase + reader.bits(lengthBits[symbol - 257] ?? 0);
      const code = reader.symbol(distances);
      const base = distanceBases[code];
      if (base === undefined) throw new DamagedError();
      output.match(length, base + reader.bits(code < 4 ? 0 : (code >>> 1) - 1));
    }
  }
}

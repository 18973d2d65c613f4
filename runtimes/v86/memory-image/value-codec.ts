import type { ByteReader } from '../../../tree/content/byte-reader.ts';
import type { ByteWriter } from '../../../tree/content/byte-writer.ts';
import { memoryLimits } from './limits.ts';

/** Kinds of arrays of numbers, by their number in the encoding. */
const arrayKinds = [
  Uint8Array,
  Int8Array,
  Uint8ClampedArray,
  Uint16Array,
  Int16Array,
  Uint32Array,
  Int32Array,
  Float32Array,
  Float64Array,
] as const;

const tags = {
  none: 0,
  null: 1,
  false: 2,
  true: 3,
  integer: 4,
  float: 5,
  text: 6,
  list: 7,
  map: 8,
  array: 9,
  large: 10,
} as const;

/** Integers that are written as such: their double has to be a safe integer as well. */
const mostInteger = 2 ** 51;
const mostItems = 1_000_000;

/**
 * Writes what devices list: numbers, truth values, text, lists, maps and arrays of numbers (protocol/SPEC.md, MI-5).
 * `putLarge` writes where the bytes of a large array are kept. @throws TypeError for anything else
 */
export function writeValue(
  value: unknown,
  writer: ByteWriter,
  putLarge: (bytes: Uint8Array, writer: ByteWriter) => void,
): void {
  const each = (item: unknown): void => writeValue(item, writer, putLarge);
  if (value === undefined) writer.byte(tags.none);
  else if (value === null) writer.byte(tags.null);
  else if (typeof value === 'boolean') writer.byte(value ? tags.true : tags.false);
  else if (typeof value === 'number') writeNumber(value, writer);
  else if (typeof value === 'string') {
    writer.byte(tags.text);
    writeBytes(new TextEncoder().encode(value), writer);
  } else if (Array.isArray(value)) {
    writer.byte(tags.list);
    writer.varint(value.length);
    for (const item of value) each(item);
  } else if (value instanceof Map) {
    writer.byte(tags.map);
    writer.varint(value.size);
    for (const entry of value) entry.forEach(each);
  } else {
    const kind = arrayKinds.findIndex((one) => value instanceof one);
    if (kind < 0) throw new TypeError('A device lists what memory images do not know');
    const { buffer, byteOffset, byteLength } = value as Uint8Array;
    const bytes = new Uint8Array(buffer, byteOffset, byteLength);
    const isLarge = byteLength >= memoryLimits.largeArrayBytes;
    writer.byte(isLarge ? tags.large : tags.array);
    writer.byte(kind);
    if (isLarge) putLarge(bytes, writer);
    else writeBytes(bytes, writer);
  }
}

/** Reads what `writeValue` wrote; `getLarge` reads a large array's bytes, which become the value's. @throws RangeError */
export function readValue(
  reader: ByteReader,
  getLarge: (reader: ByteReader) => Uint8Array,
  depth = 0,
): unknown {
  if (depth > memoryLimits.depth) reader.refuse('lists are too deep');
  const each = (): unknown => readValue(reader, getLarge, depth + 1);
  const tag = reader.byte();
  switch (tag) {
    case tags.none:
      return undefined;
    case tags.null:
      return null;
    case tags.false:
    case tags.true:
      return tag === tags.true;
    case tags.integer:
      return reader.signed();
    case tags.float:
      return floatOf(reader.raw(8));
    case tags.text:
      return new TextDecoder().decode(readBytes(reader));
    case tags.list:
      return readItems(reader, each);
    case tags.map:
      return new Map(readItems(reader, () => [each(), each()]));
    case tags.array:
    case tags.large: {
      const kind = arrayKinds[reader.byte()];
      if (!kind) return reader.refuse('a kind of array is unknown');
      const bytes = tag === tags.large ? getLarge(reader) : readBytes(reader);
      if (bytes.length % kind.BYTES_PER_ELEMENT !== 0) reader.refuse('an array is cut off');
      const { buffer } =
        bytes.byteOffset === 0 && bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice();
      return new kind(buffer as ArrayBuffer);
    }
    default:
      return reader.refuse(`a tag is ${tag}`);
  }
}

export function writeBytes(bytes: Uint8Array, writer: ByteWriter): void {
  writer.varint(bytes.length);
  writer.raw(bytes);
}

export function readBytes(reader: ByteReader, most: number = memoryLimits.bodyBytes): Uint8Array {
  return reader.raw(reader.varint(most));
}

export function writeFloat(value: number, writer: ByteWriter): void {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value, true);
  writer.raw(bytes);
}

export function floatOf(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0, true);
}

function writeNumber(value: number, writer: ByteWriter): void {
  const isInteger = Number.isInteger(value) && Math.abs(value) < mostInteger && !Object.is(value, -0);
  writer.byte(isInteger ? tags.integer : tags.float);
  if (isInteger) writer.signed(value);
  else writeFloat(value, writer);
}

function readItems<Item>(reader: ByteReader, read: () => Item): Item[] {
  const items: Item[] = [];
  // Each takes a byte, so that what is cut off ends soon.
  for (let left = reader.varint(mostItems); left > 0; left--) items.push(read());
  return items;
}

import { ByteReader } from '../content/byte-reader.ts';
import { ByteWriter } from '../content/byte-writer.ts';
import { joinBytes } from '../join-bytes.ts';

/** Bytes of one probe in the table of places in the base. */
const probeBytes = 8;

/** Shortest copy: a shorter one costs as much as the bytes themselves. A copy that continues in step costs less. */
const copyBytes = 16;
const steadyCopyBytes = 8;

/** Places of the base that are remembered, as a power of two. */
const tableBits = 15;

/** A run of bytes in both, and where it begins in the base. */
interface Match {
  readonly from: number;
  readonly length: number;
}

/**
 * The delta that turns `base` into `target` (protocol/SPEC.md, SN-12): alternately literal bytes and a copy. Also
 * finds bytes that moved inside the object, and is never much longer than `target`.
 */
export function encodeDelta(base: Uint8Array, target: Uint8Array): Uint8Array {
  const places = placesOf(base);
  const writer = new ByteWriter();
  /** How much of the target has been written; the bytes after it are literals. */
  let done = 0;
  /** How far the base is ahead of the target. */
  let ahead = 0;
  for (let at = 0; at + probeBytes <= target.length; ) {
    const from = at + ahead;
    const steady = from >= 0 ? common(base, from, { target, at }) : 0;
    const match: Match | undefined =
      steady >= steadyCopyBytes ? { from, length: steady } : moved(base, { target, at, places });
    if (match === undefined) {
      at += 1;
      continue;
    }
    const back = commonBefore(base, match.from, { target, at, least: done });
    const begin = at - back;
    writer.varint(begin - done);
    writer.raw(target.subarray(done, begin));
    writer.varint(match.length + back);
    writer.signed(match.from - at - ahead);
    ahead = match.from - at;
    at += match.length;
    done = at;
  }
  if (done < target.length) {
    writer.varint(target.length - done);
    writer.raw(target.subarray(done));
  }
  return writer.finish();
}

/**
 * The result of `delta` applied to `base`. @throws RangeError when the delta is not valid for it, or makes more
 * than `maxBytes`
 */
export function decodeDelta(
  base: Uint8Array,
  delta: Uint8Array,
  { maxBytes }: { readonly maxBytes: number },
): Uint8Array {
  const reader = new ByteReader(delta, 'a delta');
  const parts: Uint8Array[] = [];
  let length = 0;
  let from = 0;
  const add = (part: Uint8Array): void => {
    parts.push(part);
    length += part.length;
    from += part.length;
  };
  while (!reader.atEnd) {
    const own = reader.varint(maxBytes - length);
    if (own > 0) add(reader.raw(own));
    if (reader.atEnd) break;
    const count = reader.varint(maxBytes - length);
    from += reader.signed();
    if (count === 0 || from < 0 || from + count > base.length) reader.refuse('a copy is not of its base');
    add(base.subarray(from, from + count));
  }
  return joinBytes(parts, length);
}

/** For each probe of `base`, one place where it occurs, plus one. */
function placesOf(base: Uint8Array): Int32Array {
  const places = new Int32Array(1 << tableBits);
  for (let at = 0; at + probeBytes <= base.length; at++) places[probe(base, at)] = at + 1;
  return places;
}

/** The hash of the bytes at `at` (Knuth's multiplicative one, over two words). */
function probe(bytes: Uint8Array, at: number): number {
  return (
    (Math.imul(word(bytes, at), 0x9e3779b1) ^ Math.imul(word(bytes, at + 4), 0x85ebca6b)) >>> (32 - tableBits)
  );
}

function word(bytes: Uint8Array, at: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
  return a | (b << 8) | (c << 16) | (d << 24);
}

function moved(
  base: Uint8Array,
  { target, at, places }: { target: Uint8Array; at: number; places: Int32Array },
): Match | undefined {
  const from = (places[probe(target, at)] ?? 0) - 1;
  const length = from < 0 ? 0 : common(base, from, { target, at });
  return length < copyBytes ? undefined : { from, length };
}

/** How many bytes are the same from there on. */
function common(base: Uint8Array, from: number, { target, at }: { target: Uint8Array; at: number }): number {
  const most = Math.min(base.length - from, target.length - at);
  let count = 0;
  while (count < most && base[from + count] === target[at + count]) count += 1;
  return count;
}

/** How many bytes before are the same, back to `least` of the target. */
function commonBefore(
  base: Uint8Array,
  from: number,
  { target, at, least }: { target: Uint8Array; at: number; least: number },
): number {
  const most = Math.min(from, at - least);
  let count = 0;
  while (count < most && base[from - count - 1] === target[at - count - 1]) count += 1;
  return count;
}

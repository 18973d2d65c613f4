import { writeIdBytes } from '../content/id-bytes.ts';
import type { StoredObject } from '../objects/object-store.ts';
import type { RefChange } from '../objects/sandbox-store.ts';
import { refChangesBytes, writeRefChanges } from './ref-changes.ts';
import { xxh32 } from './xxh32.ts';

/**
 * The log is a sequence of commits; a commit is one or more parts; a part is written with one
 * call. Little-endian, every section starts at a multiple of 8:
 *
 *     head       64 bytes, below
 *     directory  per object: id (32), length u32, xxHash32 of its bytes u32
 *     refs       changes, in the last part of a commit only
 *     payload    the objects' bytes, in the directory's order
 *
 *     head: magic u32, flags u32, salt u64, commit u32, part u32, settledBytes f64,
 *           byteLength u32, objectCount u32, refsBytes u32, zero (16), checksum u32
 *
 * `checksum` covers head, directory and refs; the directory covers the payload. So a part
 * vouches for itself and needs no footer. `settledBytes` is how much of the log was durable when
 * the part was written: what lies before it cannot be torn, only damaged. `salt` is random for
 * each log: no object that a sandbox writes can pass for a part.
 */
export interface PartHead {
  /** The commit goes on in the next part. */
  readonly more: boolean;
  readonly salt: bigint;
  /** Number of the commit, from 1, and of the part in it, from 0. */
  readonly commit: number;
  readonly part: number;
  readonly settledBytes: number;
  readonly byteLength: number;
  readonly objectCount: number;
  readonly refsBytes: number;
}

/** `c o p 1`: the last byte is the version of the format. */
export const magic = 0x31706f63;
export const magicWithoutVersion = 0x00706f63;
export const headBytes = 64;
export const entryBytes = 40;
/** Parts are multiples of it, so a part can only start there. */
export const alignment = 8;
const checksumAt = 60;
const moreFlag = 1;

export interface PartContent {
  readonly objects: readonly StoredObject[];
  readonly refs: readonly RefChange[];
}

export function aligned(bytes: number): number {
  return Math.ceil(bytes / alignment) * alignment;
}

/** Bytes before the payload. */
export function directoryEnd(part: { objectCount: number; refsBytes: number }): number {
  return headBytes + part.objectCount * entryBytes + aligned(part.refsBytes);
}

/** Bytes that `content` takes as one part. */
export function partBytes({ objects, refs }: PartContent): number {
  const head = directoryEnd({ objectCount: objects.length, refsBytes: refChangesBytes(refs) });
  return objects.reduce((total, { bytes }) => total + aligned(bytes.length), head);
}

/**
 * Writes a part at the start of `into`, which has room for `partBytes(content)` and is aligned;
 * calls `placed` with each object's offset in the part and its checksum.
 */
export function encodePart(
  content: PartContent,
  into: Uint8Array,
  options: {
    readonly head: Pick<PartHead, 'more' | 'salt' | 'commit' | 'part' | 'settledBytes'>;
    readonly placed: (object: StoredObject, at: number, checksum: number) => void;
  },
): Uint8Array {
  const { objects, refs } = content;
  const { head, placed } = options;
  const refsBytes = refChangesBytes(refs);
  const byteLength = partBytes(content);
  const part = into.subarray(0, byteLength);
  const view = new DataView(part.buffer, part.byteOffset, byteLength);
  const payload = directoryEnd({ objectCount: objects.length, refsBytes });
  // The buffer is used again and again, and what is not overwritten would leak into the padding.
  part.fill(0, 0, payload);
  let at = payload;
  objects.forEach((object, index) => {
    const end = at + object.bytes.length;
    part.set(object.bytes, at);
    part.fill(0, end, aligned(end));
    const checksum = xxh32(part.subarray(at, end));
    const entry = headBytes + index * entryBytes;
    writeIdBytes(object.id, part, entry);
    view.setUint32(entry + 32, object.bytes.length, true);
    view.setUint32(entry + 36, checksum, true);
    placed(object, at, checksum);
    at = aligned(end);
  });
  writeRefChanges(refs, part, headBytes + objects.length * entryBytes);
  view.setUint32(0, magic, true);
  view.setUint32(4, head.more ? moreFlag : 0, true);
  view.setBigUint64(8, head.salt, true);
  view.setUint32(16, head.commit, true);
  view.setUint32(20, head.part, true);
  view.setFloat64(24, head.settledBytes, true);
  view.setUint32(32, byteLength, true);
  view.setUint32(36, objects.length, true);
  view.setUint32(40, refsBytes, true);
  view.setUint32(checksumAt, xxh32(part.subarray(0, payload)), true);
  return part;
}

/** The fields of a head, or `undefined` when these 64 bytes cannot be one. Says nothing about its checksum. */
export function decodeHead(bytes: Uint8Array): PartHead | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < headBytes || view.getUint32(0, true) !== magic) return undefined;
  const head: PartHead = {
    more: (view.getUint32(4, true) & moreFlag) !== 0,
    salt: view.getBigUint64(8, true),
    commit: view.getUint32(16, true),
    part: view.getUint32(20, true),
    settledBytes: view.getFloat64(24, true),
    byteLength: view.getUint32(32, true),
    objectCount: view.getUint32(36, true),
    refsBytes: view.getUint32(40, true),
  };
  const plausible =
    Number.isSafeInteger(head.settledBytes) &&
    head.settledBytes >= 0 &&
    head.byteLength % alignment === 0 &&
    directoryEnd(head) <= head.byteLength;
  return plausible ? head : undefined;
}

/** Whether `bytes`, a part up to its payload, is what was written. */
export function isDirectoryIntact(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const expected = view.getUint32(checksumAt, true);
  view.setUint32(checksumAt, 0, true);
  const actual = xxh32(bytes);
  view.setUint32(checksumAt, expected, true);
  return actual === expected;
}

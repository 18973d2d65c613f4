import { treeLimits } from '../limits.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { objectKinds } from './kinds.ts';
import type { ObjectId } from './object-id.ts';

const { chunkListFanOut, extentBytes, fileBytes } = treeLimits;
const maxLevel = 2;

/** The ids of a file's pieces in order; `undefined` is a hole (OB-7). */
export type ChunkSlots = readonly (ObjectId | undefined)[];

/** How many levels of lists are above the lowest one for a file of this size. */
export function chunkListLevel(sizeBytes: number): number {
  let level = 0;
  for (
    let span = chunkListFanOut * extentBytes;
    span < Math.min(sizeBytes, fileBytes);
    span *= chunkListFanOut
  ) {
    level += 1;
  }
  return level;
}

/** Runs of holes and ids in turn. `slots` has at least one id, at most 1,024 slots, and no hole at its end. */
export function encodeChunkList(level: number, slots: ChunkSlots): Uint8Array {
  const writer = new ByteWriter();
  writer.byte(objectKinds.chunkList);
  writer.byte(level);
  for (let at = 0; at < slots.length; ) {
    const firstId = skip(slots, at, (id) => id === undefined);
    const firstHole = skip(slots, firstId, (id) => id !== undefined);
    writer.varint(firstId - at);
    writer.varint(firstHole - firstId);
    for (const id of slots.slice(firstId, firstHole)) if (id) writer.id(id);
    at = firstHole;
  }
  return writer.finish();
}

/** @throws RangeError on anything that `encodeChunkList` does not write */
export function decodeChunkList(object: Uint8Array): { level: number; slots: ChunkSlots } {
  const reader = new ByteReader(object, 'chunk list');
  reader.kind(objectKinds.chunkList);
  const level = reader.byte();
  if (level > maxLevel) reader.refuse(`its level is ${level}`);
  const slots: (ObjectId | undefined)[] = [];
  do {
    const holes = reader.varint(chunkListFanOut - slots.length);
    if (holes === 0 && slots.length > 0) reader.refuse('a run of ids is split');
    for (let count = 0; count < holes; count++) slots.push(undefined);
    const ids = reader.varint(chunkListFanOut - slots.length);
    if (ids === 0) reader.refuse('a run of ids is empty');
    for (let count = 0; count < ids; count++) slots.push(reader.id());
  } while (!reader.atEnd);
  return { level, slots };
}

function skip(slots: ChunkSlots, from: number, matches: (id: ObjectId | undefined) => boolean): number {
  let at = from;
  while (at < slots.length && matches(slots[at])) at += 1;
  return at;
}

import { ByteReader } from '../content/byte-reader.ts';
import type { ByteWriter } from '../content/byte-writer.ts';
import { objectKinds } from '../content/kinds.ts';
import type { ObjectId } from '../content/object-id.ts';
import { historyLimits } from './limits.ts';

/** The version of the format of memory images (protocol/SPEC.md, MI-1). */
const formatVersion = 1;

/** The objects that a memory image refers to: the only part of it that the history reads. */
export interface MemoryHead {
  /** The tree delta with the inode numbers that the running machine uses. */
  readonly tree: ObjectId;
  /** Bundles with its pages, none twice. */
  readonly bundles: readonly ObjectId[];
}

/** Writes the head of a memory image. */
export function writeMemoryHead({ tree, bundles }: MemoryHead, writer: ByteWriter): void {
  writer.byte(objectKinds.memoryImage);
  writer.varint(formatVersion);
  writer.id(tree);
  writer.varint(bundles.length);
  for (const id of bundles) writer.id(id);
}

/** Reads the head of a memory image; the reader is then behind it. @throws RangeError */
export function readMemoryHead(reader: ByteReader): MemoryHead {
  reader.kind(objectKinds.memoryImage);
  const version = reader.varint(255);
  if (version !== formatVersion) reader.refuse(`its format is ${version}, not ${formatVersion}`);
  const tree = reader.id();
  const count = reader.varint(historyLimits.memoryBundles);
  const bundles = Array.from({ length: count }, () => reader.id());
  if (new Set([tree, ...bundles]).size !== count + 1) reader.refuse('it names an object twice');
  return { tree, bundles };
}

/** The head of the memory image in `bytes`. @throws RangeError */
export function decodeMemoryHead(bytes: Uint8Array): MemoryHead {
  return readMemoryHead(new ByteReader(bytes, 'memory image'));
}

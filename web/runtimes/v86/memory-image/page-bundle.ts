import { deflateSync, inflateSync } from 'fflate';
import { WorkSlices } from '../../../../tree/next-task.ts';
import { ByteReader } from '../../../../tree/objects/byte-reader.ts';
import { ByteWriter } from '../../../../tree/objects/byte-writer.ts';
import { storedObject } from '../../../../tree/objects/hash-object.ts';
import { objectKinds } from '../../../../tree/objects/kinds.ts';
import type { StoredObject } from '../../../../tree/objects/object-store.ts';
import { pageBytes } from '../../../../wasm/pages/page-kernels.ts';
import { memoryLimits } from './limits.ts';

const { blockPages, bundlePages } = memoryLimits;
/** The quickest. */
const deflateOptions = { level: 1, mem: 4 } as const;

/** Pages under one id, in blocks that are compressed each for itself (protocol/SPEC.md, M-3). Lets other work run in between. */
export async function encodePageBundle(pages: readonly Uint8Array[]): Promise<StoredObject> {
  const writer = new ByteWriter();
  writer.byte(objectKinds.pageBundle);
  writer.varint(pages.length);
  const slices = new WorkSlices();
  for (let at = 0; at < pages.length; at += blockPages) {
    const block = joined(pages.slice(at, at + blockPages));
    const deflated = deflateSync(block, deflateOptions);
    const stored = deflated.length < block.length ? deflated : block;
    writer.varint(stored.length);
    writer.raw(stored);
    await slices.end();
  }
  return storedObject(writer.finish());
}

/** All its pages, one after the other. @throws RangeError for what is no bundle */
export function decodePageBundle(bytes: Uint8Array): Uint8Array {
  const reader = new ByteReader(bytes, 'page bundle');
  reader.kind(objectKinds.pageBundle);
  const count = reader.varint(bundlePages);
  const pages = new Uint8Array(count * pageBytes);
  for (let at = 0; at < pages.length; ) {
    const block = pages.subarray(at, at + blockPages * pageBytes);
    const stored = reader.raw(reader.varint(block.length));
    if (stored.length === block.length) block.set(stored);
    else if (inflate(stored, block) !== block.length) reader.refuse('a block is not what it says');
    at += block.length;
  }
  reader.end();
  return pages;
}

/** How many bytes it makes, as far as there is room in `into`. */
function inflate(bytes: Uint8Array, into: Uint8Array): number {
  try {
    return inflateSync(bytes, { out: into }).length;
  } catch (cause) {
    throw new RangeError('Cannot decode page bundle: a block does not inflate', { cause });
  }
}

function joined(pages: readonly Uint8Array[]): Uint8Array {
  const block = new Uint8Array(pages.length * pageBytes);
  for (const [index, page] of pages.entries()) block.set(page, index * pageBytes);
  return block;
}

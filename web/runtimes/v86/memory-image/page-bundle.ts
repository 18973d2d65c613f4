import { WorkSlices } from '../../../../tree/next-task.ts';
import { ByteReader } from '../../../../tree/objects/byte-reader.ts';
import { ByteWriter } from '../../../../tree/objects/byte-writer.ts';
import { storedObject } from '../../../../tree/objects/hash-object.ts';
import { objectKinds } from '../../../../tree/objects/kinds.ts';
import type { StoredObject } from '../../../../tree/objects/object-store.ts';
import { pageBytes } from '../../../../wasm/pages/page-kernels.ts';
import type { BlockCodec } from './block-codec.ts';
import { memoryLimits } from './limits.ts';

const { blockPages, bundlePages } = memoryLimits;

/** Pages under one id, in blocks that are packed each for itself (protocol/SPEC.md, M-3). Lets other work run in between. */
export async function encodePageBundle(
  pages: readonly Uint8Array[],
  codec: BlockCodec,
): Promise<StoredObject> {
  const writer = new ByteWriter();
  writer.byte(objectKinds.pageBundle);
  writer.varint(pages.length);
  const slices = new WorkSlices();
  for (let at = 0; at < pages.length; at += blockPages) {
    const block = joined(pages.slice(at, at + blockPages));
    const stored = codec.pack(block) ?? block;
    writer.varint(stored.length);
    writer.raw(stored);
    await slices.end();
  }
  return storedObject(writer.finish());
}

/** All its pages, one after the other. @throws RangeError for what is no bundle */
export function decodePageBundle(bytes: Uint8Array, codec: BlockCodec): Uint8Array {
  const reader = new ByteReader(bytes, 'page bundle');
  reader.kind(objectKinds.pageBundle);
  const count = reader.varint(bundlePages);
  const pages = new Uint8Array(count * pageBytes);
  for (let at = 0; at < pages.length; ) {
    const block = pages.subarray(at, at + blockPages * pageBytes);
    const stored = reader.raw(reader.varint(block.length));
    if (stored.length === block.length) block.set(stored);
    else codec.unpack(stored, block);
    at += block.length;
  }
  reader.end();
  return pages;
}

function joined(pages: readonly Uint8Array[]): Uint8Array {
  const block = new Uint8Array(pages.length * pageBytes);
  for (const [index, page] of pages.entries()) block.set(page, index * pageBytes);
  return block;
}

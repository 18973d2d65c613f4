import { BlockCodec } from '../../runtimes/v86/memory-image/block-codec.ts';
import { memoryLimits } from '../../runtimes/v86/memory-image/limits.ts';
import { PageBundle } from '../../runtimes/v86/memory-image/page-bundle.ts';
import { ByteReader } from '../../tree/content/byte-reader.ts';
import { ByteWriter } from '../../tree/content/byte-writer.ts';
import { objectKinds } from '../../tree/content/kinds.ts';
import type { StoredObject } from '../../tree/objects/object-store.ts';
import { twinKernels } from '../../wasm/pages/twin.ts';

const codec = new BlockCodec((memory) => twinKernels((memory as WebAssembly.Memory).buffer));

/** The object; where it is a bundle of pages, with every packed block made unreadable of which each page has `text` in it. */
export function damaged(object: StoredObject, text: string): StoredObject {
  if (object.bytes[0] !== objectKinds.pageBundle) return object;
  const bundle = new PageBundle(object.bytes, codec);
  const reader = new ByteReader(object.bytes, 'page bundle');
  reader.kind(objectKinds.pageBundle);
  const writer = new ByteWriter();
  writer.byte(objectKinds.pageBundle);
  const count = reader.varint(memoryLimits.bundlePages);
  writer.varint(count);
  for (let page = 0; page < count; page += memoryLimits.blockPages) {
    const block = reader.raw(reader.varint(memoryLimits.blockPages * 4096));
    writer.varint(block.length);
    const pages = Array.from(
      { length: Math.min(memoryLimits.blockPages, count - page) },
      (_, at) => page + at,
    );
    const isMeant = pages.every((slot) => Buffer.from(bundle.page(slot)).includes(text));
    // In LZ4, 255 begins a run that has no end here.
    writer.raw(isMeant ? new Uint8Array(block.length).fill(255) : block);
  }
  return { ...object, bytes: writer.finish() };
}

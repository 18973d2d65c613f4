import { ByteReader } from '../../../tree/content/byte-reader.ts';
import { ByteWriter } from '../../../tree/content/byte-writer.ts';
import { objectKinds } from '../../../tree/content/kinds.ts';
import { WorkSlices } from '../../../tree/next-task.ts';
import { storedObject } from '../../../tree/objects/hash-object.ts';
import type { StoredObject } from '../../../tree/objects/object-store.ts';
import { pageBytes } from '../../../wasm/pages/page-kernels.ts';
import type { BlockCodec } from './block-codec.ts';
import { memoryLimits } from './limits.ts';

const { blockPages, bundlePages } = memoryLimits;

/** Pages under one id, in blocks that are packed each for itself (protocol/SPEC.md, MI-3). Lets other work run in between. */
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

/** A bundle that was read. Its blocks are unpacked when a page of theirs is first asked for. */
export class PageBundle {
  /** How many pages it has. */
  readonly count: number;
  readonly #codec: BlockCodec;
  /** As they are stored. */
  readonly #blocks: readonly Uint8Array[];
  readonly #unpacked: (Uint8Array | undefined)[] = [];

  /** @throws RangeError for what is no bundle */
  constructor(bytes: Uint8Array, codec: BlockCodec) {
    const reader = new ByteReader(bytes, 'page bundle');
    reader.kind(objectKinds.pageBundle);
    this.#codec = codec;
    this.count = reader.varint(bundlePages);
    const blocks: Uint8Array[] = [];
    for (let at = 0; at < this.count; at += blockPages)
      blocks.push(reader.raw(reader.varint(this.#sizeOf(blocks.length))));
    reader.end();
    this.#blocks = blocks;
  }

  /** @throws RangeError for a page that it does not have, and for a block that is malformed */
  page(slot: number): Uint8Array {
    this.assertHas(slot);
    const block = this.#block(Math.floor(slot / blockPages));
    const at = (slot % blockPages) * pageBytes;
    return block.subarray(at, at + pageBytes);
  }

  /** @throws RangeError for a page that it does not have */
  assertHas(slot: number): void {
    if (slot >= this.count) throw new RangeError('a page is beyond the end of its bundle');
  }

  /** All its pages, one after the other. @throws RangeError for a block that is malformed */
  pages(): Uint8Array {
    const all = new Uint8Array(this.count * pageBytes);
    for (const index of this.#blocks.keys()) all.set(this.#block(index), index * blockPages * pageBytes);
    return all;
  }

  #block(index: number): Uint8Array {
    const known = this.#unpacked[index];
    if (known) return known;
    const stored = this.#blocks[index] ?? new Uint8Array(0);
    let block = stored;
    if (stored.length < this.#sizeOf(index)) {
      block = new Uint8Array(this.#sizeOf(index));
      this.#codec.unpack(stored, block);
    }
    this.#unpacked[index] = block;
    return block;
  }

  #sizeOf(index: number): number {
    return Math.min(blockPages, this.count - index * blockPages) * pageBytes;
  }
}

function joined(pages: readonly Uint8Array[]): Uint8Array {
  const block = new Uint8Array(pages.length * pageBytes);
  for (const [index, page] of pages.entries()) block.set(page, index * pageBytes);
  return block;
}

import type { ObjectId } from '../../tree/content/object-id.ts';
import { encodeObjectHead, encodeStreamHead, type StreamObject } from '../../tree/history/object-stream.ts';
import { encodeBlocks } from '../../tree/history/stream-blocks.ts';
import { collect, each } from './snapshot-origin.ts';

/** A stream of these objects, right or wrong. */
export async function streamOf(root: ObjectId, objects: readonly StreamObject[]): Promise<Uint8Array> {
  const parts = objects.flatMap((object) => [
    encodeObjectHead(object),
    object.type === 'whole' ? object.bytes : object.delta,
  ]);
  const blocks = encodeBlocks(each([...parts, encodeObjectHead()]), { deflates: false });
  return Uint8Array.from(Buffer.concat([encodeStreamHead(root), await collect(blocks)]));
}

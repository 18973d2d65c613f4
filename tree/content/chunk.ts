import { treeLimits } from '../limits.ts';
import type { Pages } from './extent.ts';
import { readPages } from './extent.ts';
import { objectKinds } from './kinds.ts';

/**
 * The canonical form of one piece of file content (OB-6): its bytes without the zeros at the end.
 * `undefined` when all are zero: that is a hole.
 */
export function encodeChunk(pages: Pages): Uint8Array | undefined {
  for (let index = pages.length - 1; index >= 0; index--) {
    const page = pages[index];
    let length = page?.length ?? 0;
    while (length > 0 && page?.[length - 1] === 0) length -= 1;
    if (length === 0) continue;
    const object = new Uint8Array(1 + index * treeLimits.pageSize + length);
    object[0] = objectKinds.chunk;
    readPages(pages, 0, object.subarray(1));
    return object;
  }
  return undefined;
}

/** The content of a chunk: a view into `object`. @throws RangeError when it is not a canonical chunk */
export function decodeChunk(object: Uint8Array): Uint8Array {
  if (object[0] !== objectKinds.chunk) throw new RangeError('Cannot decode chunk: its kind byte is wrong');
  if (object.length < 2 || object.length > treeLimits.extentBytes + 1) {
    throw new RangeError(`Cannot decode chunk: it has ${object.length - 1} bytes`);
  }
  if (object[object.length - 1] === 0) throw new RangeError('Cannot decode chunk: it ends in zeros');
  return object.subarray(1);
}

import { treeLimits } from '../limits.ts';
import { objectKinds } from './kinds.ts';

/**
 * The canonical form of one piece of file content (O-6): its bytes without the zeros at the end.
 * `undefined` when all are zero: that is a hole.
 */
export function encodeChunk(bytes: Uint8Array): Uint8Array | undefined {
  let length = bytes.length;
  while (length > 0 && bytes[length - 1] === 0) length -= 1;
  if (length === 0) return undefined;
  const object = new Uint8Array(length + 1);
  object[0] = objectKinds.chunk;
  object.set(bytes.subarray(0, length), 1);
  return object;
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

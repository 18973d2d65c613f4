import type { ObjectId } from '../content/object-id.ts';

/** Finds an object's canonical bytes, as `ObjectStore.get` does. */
export type GetObject = (id: ObjectId) => Promise<Uint8Array | undefined>;

/** The bytes of an object. @throws RangeError when it is missing */
export async function needObject(get: GetObject, id: ObjectId): Promise<Uint8Array> {
  const bytes = await get(id);
  if (bytes === undefined) throw new RangeError(`Object ${id} is missing`);
  return bytes;
}

/** 64 lower-case hex digits: the SHA-256 of an object's canonical bytes (protocol/SPEC.md, OB-1). */
export type ObjectId = string & { readonly brand: 'ObjectId' };

const pattern = /^[0-9a-f]{64}$/;

/** Accepts 64 lower-case hex digits; throws a `RangeError` on anything else. */
export function parseObjectId(text: string): ObjectId {
  if (!pattern.test(text)) throw new RangeError(`Not an object id: ${JSON.stringify(text.slice(0, 80))}`);
  return text as ObjectId;
}

/**
 * A pack is many objects in one blob: `CPK1`, the number of objects and then the length of each
 * (unsigned 32-bit little-endian), then their canonical bytes without gaps. Ids are not stored:
 * whoever needs them computes them.
 */
const magic = [0x43, 0x50, 0x4b, 0x31];
const headerBytes = 8;
const lengthBytes = 4;

/** Bounds of one pack; a larger one is refused before anything is allocated. */
const packLimits = { objects: 1_000_000, bytes: 268_435_456 } as const;

/** One blob of `objects` in their order. @throws RangeError past `packLimits` */
export function encodePack(objects: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bodyBytes = objects.reduce((sum, bytes) => sum + bytes.length, 0);
  const totalBytes = headerBytes + lengthBytes * objects.length + bodyBytes;
  if (objects.length > packLimits.objects || totalBytes > packLimits.bytes) {
    throw new RangeError(`A pack of ${objects.length} objects and ${totalBytes} bytes is too large`);
  }
  const pack = new Uint8Array(totalBytes);
  const view = new DataView(pack.buffer);
  pack.set(magic);
  view.setUint32(4, objects.length, true);
  let at = headerBytes + lengthBytes * objects.length;
  objects.forEach((bytes, index) => {
    view.setUint32(headerBytes + lengthBytes * index, bytes.length, true);
    pack.set(bytes, at);
    at += bytes.length;
  });
  return pack;
}

/** The objects of a pack in their order, as views into it. @throws RangeError when the blob is not exactly a pack */
export function decodePack(pack: Uint8Array): Uint8Array[] {
  const view = new DataView(pack.buffer, pack.byteOffset, pack.byteLength);
  if (pack.length < headerBytes || magic.some((byte, index) => pack[index] !== byte)) {
    throw new RangeError('Not a pack: it does not start with CPK1');
  }
  const count = view.getUint32(4, true);
  let at = headerBytes + lengthBytes * count;
  if (count > packLimits.objects || pack.length > packLimits.bytes || at > pack.length) {
    throw new RangeError(`Not a pack: ${count} objects do not fit in ${pack.length} bytes`);
  }
  const objects: Uint8Array[] = [];
  for (let index = 0; index < count; index++) {
    const sizeBytes = view.getUint32(headerBytes + lengthBytes * index, true);
    if (sizeBytes > pack.length - at) throw new RangeError(`Not a pack: object ${index} is cut off`);
    objects.push(pack.subarray(at, at + sizeBytes));
    at += sizeBytes;
  }
  if (at !== pack.length)
    throw new RangeError(`Not a pack: ${pack.length - at} bytes follow its last object`);
  return objects;
}

import { gunzipSync } from 'fflate';
/**
 * Inflates gzip with the browser's own zlib. Written and read in as few pieces as it allows: a pipe
 * through several streams takes twice as long.
 * @throws TypeError when `stored` is not gzip, RangeError when its content does not have `sizeBytes`
 */
export async function inflate(stored: Uint8Array<ArrayBuffer>, sizeBytes: number): Promise<ArrayBuffer> {
  const stream = new DecompressionStream('gzip');
  const writer = stream.writable.getWriter();
  const written = writer.write(stored).then(() => writer.close());
  written.catch(() => undefined); // The reader fails with it.
  const content = new Uint8Array(sizeBytes);
  const reader = stream.readable.getReader();
  let at = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    // `set` throws past the end, so that nothing inflates to more than it promised.
    content.set(part.value, at);
    at += part.value.length;
  }
  if (at !== sizeBytes) throw new RangeError(`It has ${at} bytes, not ${sizeBytes}`);
  return content.buffer;
}

/** The same; blocks until all is there. @throws when it is not gzip of `sizeBytes` bytes */
export function inflateSync(stored: Uint8Array, sizeBytes: number): Uint8Array {
  const content = gunzipSync(stored, { out: new Uint8Array(sizeBytes) });
  if (content.length === sizeBytes) return content;
  throw new RangeError(`It has ${content.length} bytes, not ${sizeBytes}`);
}

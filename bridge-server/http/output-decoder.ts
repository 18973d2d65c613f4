type OutputEncoding = 'utf8' | 'base64';

/** Turns pieces of an output stream into text, one after the other; a character may span two of them. */
export function outputDecoder(encoding: OutputEncoding): (bytes?: Uint8Array) => string {
  if (encoding === 'base64') return (bytes) => Buffer.from(bytes ?? []).toString('base64');
  const decoder = new TextDecoder();
  return (bytes) => decoder.decode(bytes, { stream: bytes !== undefined });
}

import { limits } from '../../../protocol/limits.ts';
import type { RamPlace } from '../../../runtimes/v86/memory-image/saved-state.ts';

/** A part of the kept file. The header lists them in JSON, after its own length in 4 bytes (little-endian). */
export interface Part {
  /** SHA-256. */
  readonly digest: string;
  readonly sizeBytes: number;
  /** Where it has pages of RAM that can be verified one by one. */
  readonly ram?: PartRam | undefined;
}

interface PartRam extends RamPlace {
  /** SHA-256 of what is before them and after them. */
  readonly rest: string;
  /** What tells how the pages were hashed. */
  readonly hash: string;
}

/** A part that was read. */
export interface ReadPart {
  readonly part: Part;
  readonly content: ArrayBuffer;
  /** Where its RAM is in the file, bytes, if that was left out: there are zeros. */
  readonly ramAt?: number;
}

const lengthBytes = 4;

/** The header, and what is before it. */
export function encodeHeader(parts: readonly Part[]): Uint8Array<ArrayBuffer> {
  const header = new TextEncoder().encode(JSON.stringify(parts));
  const bytes = new Uint8Array(lengthBytes + header.length);
  new DataView(bytes.buffer).setUint32(0, header.length, true);
  bytes.set(header, lengthBytes);
  return bytes;
}

/**
 * All parts of a file, without RAM that was hashed in this way.
 * @throws SyntaxError or RangeError for a file that is not whole
 */
export function readParts(file: FileSystemSyncAccessHandle, hash: string): ReadPart[] {
  const length = new DataView(new ArrayBuffer(lengthBytes));
  file.read(length, { at: 0 });
  const header = new Uint8Array(Math.min(length.getUint32(0, true), limits.keptStartHeaderBytes));
  file.read(header, { at: lengthBytes });
  const fileBytes = file.getSize();
  let at = lengthBytes + header.length;
  return (JSON.parse(new TextDecoder().decode(header)) as Part[]).map((part) => {
    if (at + part.sizeBytes > fileBytes) throw new RangeError('The file was cut short');
    const content = new Uint8Array(part.sizeBytes);
    const ram = part.ram?.hash === hash ? part.ram : undefined;
    const [from, to] = ram ? [ram.at, ram.at + ram.sizeBytes] : [part.sizeBytes, part.sizeBytes];
    file.read(content.subarray(0, from), { at });
    if (ram) file.read(content.subarray(to), { at: at + to });
    const read = { part, content: content.buffer, ...(ram ? { ramAt: at + from } : {}) };
    at += part.sizeBytes;
    return read;
  });
}

/** What `rest` is the digest of. */
export function aroundRam(content: ArrayBuffer, { at, sizeBytes }: RamPlace): ArrayBuffer {
  const rest = new Uint8Array(content.byteLength - sizeBytes);
  rest.set(new Uint8Array(content, 0, at));
  rest.set(new Uint8Array(content, at + sizeBytes), at);
  return rest.buffer;
}

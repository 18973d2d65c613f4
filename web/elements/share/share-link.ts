import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';

const fragmentName = 'state';
const parameterName = 'snapshot';

/** A snapshot that the address of the page names: in the address itself, or a file elsewhere. */
export type SharedSnapshot =
  | { readonly type: 'link'; readonly text: string }
  | { readonly type: 'file'; readonly url: string };

/** What `address` shares, if anything; not verified yet. */
export function readSharedSnapshot({
  hash,
  search,
}: Pick<URL, 'hash' | 'search'>): SharedSnapshot | undefined {
  const prefix = `#${fragmentName}=`;
  if (hash.startsWith(prefix)) return { type: 'link', text: hash.slice(prefix.length) };
  const url = new URLSearchParams(search).get(parameterName);
  return url === null ? undefined : { type: 'file', url };
}

/** The address of `site` with the file of a snapshot in it; `undefined` when it would be too long. */
export async function linkWithSnapshot(site: string, file: Uint8Array): Promise<string | undefined> {
  if (file.length > limits.sharedLinkUnpackedBytes) return undefined;
  const text = toBase64Url(await collect(streamOf(file).pipeThrough(new CompressionStream('deflate-raw'))));
  if (text.length > limits.sharedLinkCharacters) return undefined;
  return `${bareAddress(site)}#${fragmentName}=${text}`;
}

/** The address of `site` that opens the file of a snapshot at `url`. */
export function linkToSnapshotFile(site: string, url: string): string {
  return `${bareAddress(site)}?${parameterName}=${encodeURIComponent(url)}`;
}

/**
 * The file of a snapshot that a link holds. It is untrusted: the reader must verify it.
 * @throws invalid-argument, limit-exceeded
 */
export async function unpackLink(text: string): Promise<Uint8Array> {
  if (text.length > limits.sharedLinkCharacters)
    throw tooLarge(`it is longer than ${limits.sharedLinkCharacters}`);
  if (!/^[\w-]+$/.test(text)) throw damaged();
  try {
    const packed = streamOf(fromBase64Url(text));
    return await collect(packed.pipeThrough(new DecompressionStream('deflate-raw')));
  } catch (error) {
    throw error instanceof SandboxError ? error : damaged();
  }
}

/** Stops reading at the limit: a few bytes can unpack to any number. */
async function collect(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  const reader = stream.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      sizeBytes += read.value.length;
      if (sizeBytes > limits.sharedLinkUnpackedBytes)
        throw tooLarge(`it unpacks to more than ${limits.sharedLinkUnpackedBytes} bytes`);
      pieces.push(read.value);
    }
  } finally {
    await reader.cancel().catch(() => undefined); // What is wrong is told already.
  }
  const whole = new Uint8Array(sizeBytes);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new Blob([new Uint8Array(bytes)]).stream();
}

/** RFC 4648, 5, without padding. */
function toBase64Url(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function fromBase64Url(text: string): Uint8Array {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}

function bareAddress(site: string): string {
  const url = new URL(site);
  url.hash = '';
  url.search = '';
  return url.href;
}

function damaged(): SandboxError {
  const why = 'what it holds is damaged, or no snapshot';
  return new SandboxError('invalid-argument', `Cannot open the link: ${why}. Copy all of it`);
}

function tooLarge(why: string): SandboxError {
  return new SandboxError('limit-exceeded', `Cannot open the link: ${why}`);
}

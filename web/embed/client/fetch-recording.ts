import { SandboxError } from '../../../protocol/errors.ts';
import { embedLimits } from '../limits.ts';
import type { EmbeddedRecording } from './embed-view.ts';

/**
 * A recording that this page reads for a frame, with its own rights: part by part where the server gives parts, else all of it at once.
 * @throws asset-unavailable, limit-exceeded
 */
export async function fetchRecording(url: URL, signal: AbortSignal): Promise<EmbeddedRecording> {
  const first = await ask(url, { signal, headers: { Range: 'bytes=0-0' } });
  const sizeBytes = Number(/^bytes 0-0\/(\d+)$/.exec(first.headers.get('content-range') ?? '')?.[1]);
  if (first.status === 206 && Number.isSafeInteger(sizeBytes)) {
    await first.body?.cancel();
    return { sizeBytes, read: (from, to) => readPart(url, { from, to, signal }) };
  }
  // `Content-Range` is told to pages of other origins only where the server exposes it.
  const whole = first.status === 206 ? await ask(url, { signal }) : first;
  const bytes = await readWhole(whole, url);
  return { sizeBytes: bytes.length, read: async (from, to) => bytes.slice(from, to) };
}

async function readPart(
  url: URL,
  { from, to, signal }: { from: number; to: number; signal: AbortSignal },
): Promise<Uint8Array> {
  if (to <= from) return new Uint8Array(0);
  const response = await ask(url, { signal, headers: { Range: `bytes=${from}-${to - 1}` } });
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (response.status === 206 && bytes.length === to - from) return bytes;
  throw new SandboxError(
    'asset-unavailable',
    `${url.host} gave another part of the recording than was asked for`,
  );
}

async function readWhole({ body }: Response, url: URL): Promise<Uint8Array> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let sizeBytes = 0;
  const reader = body?.getReader();
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    sizeBytes += read.value.length;
    if (sizeBytes > embedLimits.recordingBytes) {
      await reader?.cancel();
      const why =
        'it is too large for a server that gives no parts of files (Range), or does not tell (Access-Control-Expose-Headers: Content-Range)';
      throw new SandboxError('limit-exceeded', `Cannot play the recording at ${url.host}: ${why}`);
    }
    pieces.push(read.value);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

async function ask(url: URL, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init).catch((cause) => {
    throw new SandboxError('asset-unavailable', `${url.host} does not let this page read the recording`, {
      cause,
    });
  });
  if (response.ok) return response;
  throw new SandboxError('asset-unavailable', `${url.host} answers ${response.status} for the recording`);
}

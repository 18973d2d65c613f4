import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { Share } from './room.ts';

/**
 * All bytes of an upload, counted in `share` as they come.
 * @throws limit-exceeded past `mostBytes`, `limits.uploadBytes` by default; busy when other uploads take all room
 */
export async function readBody(
  request: Request,
  { share, mostBytes = limits.uploadBytes }: { readonly share: Share; readonly mostBytes?: number },
): Promise<Uint8Array> {
  const told = Number(request.headers.get('content-length') ?? 0);
  if (told > mostBytes) throw tooLarge(mostBytes);
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of request.body ?? []) {
    length += part.length;
    if (length > mostBytes) throw tooLarge(mostBytes);
    share.grow(part.length);
    parts.push(part);
  }
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  // The parts and the whole are there together for a moment.
  share.grow(length);
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

function tooLarge(limitBytes: number): SandboxError {
  const message = `Cannot take the upload: it is larger than ${limitBytes} bytes`;
  return new SandboxError('limit-exceeded', message, { details: { limitBytes } });
}

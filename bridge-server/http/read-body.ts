import type { IncomingMessage } from 'node:http';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { ByteReservation } from './byte-budget.ts';
import { requestBytes } from './request-bytes.ts';

export interface ReadBodyOptions {
  readonly reservation: ByteReservation;
  /** `limits.uploadBytes` by default. */
  readonly mostBytes?: number;
}

/**
 * All bytes of an upload, reserved as they come.
 * @throws limit-exceeded past `mostBytes`; busy when other uploads hold the memory; aborted
 */
export async function readBody(
  incoming: IncomingMessage,
  { reservation, mostBytes = limits.uploadBytes }: ReadBodyOptions,
): Promise<Uint8Array> {
  const announced = Number(incoming.headers['content-length'] ?? 0);
  if (announced > mostBytes) throw tooLarge(mostBytes);
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of requestBytes(incoming)) {
    length += part.length;
    if (length > mostBytes) throw tooLarge(mostBytes);
    reservation.resize(length);
    parts.push(part);
  }
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  // Parts and whole are in memory together only until this function returns: one upload at a time.
  return Buffer.concat(parts, length);
}

function tooLarge(limitBytes: number): SandboxError {
  const message = `Cannot take the upload: it is larger than ${limitBytes} bytes`;
  return new SandboxError('limit-exceeded', message, { details: { limitBytes } });
}

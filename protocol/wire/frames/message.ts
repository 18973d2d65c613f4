import type { SandboxError } from '../../errors.ts';
import { type FrameDraft, frameHeaderBytes, sizeOf, violation } from './frame.ts';

/** What a request, an answer or an item of a stream says: JSON, and at most one byte array beside it (WP-8). */
export interface Message {
  readonly json: unknown;
  readonly bytes: Uint8Array;
}

const lengthBytes = 4;
const errorTextLength = 8_192;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What each body of a stream costs besides its bytes, so that empty ones are not free (WP-13). */
export const streamMessageCost = 16;

const noBytes: Uint8Array = new Uint8Array(0);

/** The body of a message in parts: a u32 length, so many bytes of JSON (none for `undefined`), the bytes as they are. */
export function encodeMessage({ json, bytes = noBytes }: Partial<Message>): readonly Uint8Array[] {
  const text = encoder.encode(json === undefined ? '' : JSON.stringify(json));
  const head = new Uint8Array(lengthBytes);
  new DataView(head.buffer).setUint32(0, text.length, true);
  return [head, text, bytes];
}

/** The body that tells of an error: its code, text and details, never a stack. Details that are no JSON stay behind. */
export function encodeError(error: SandboxError): readonly Uint8Array[] {
  const { code, message, details } = error.toData();
  const told = { code, message: message.slice(0, errorTextLength), details };
  try {
    return encodeMessage({ json: told });
  } catch {
    return encodeMessage({ json: { ...told, details: {} } });
  }
}

/** Reads a body; its bytes are a view into it. @throws protocol-violation */
export function decodeMessage(
  body: Uint8Array,
  { jsonBytes = Number.POSITIVE_INFINITY }: { jsonBytes?: number } = {},
): Message {
  if (body.length < lengthBytes) throw violation('a message without a length');
  const length = new DataView(body.buffer, body.byteOffset, lengthBytes).getUint32(0, true);
  if (length > Math.min(jsonBytes, body.length - lengthBytes)) throw violation('a length that cannot be');
  const end = lengthBytes + length;
  return { json: parseJson(body.subarray(lengthBytes, end)), bytes: body.subarray(end) };
}

/** The frames of one body, each of at most `frameBytes` with its header. The parts are views. */
export function* cutFrames(
  { type, id, parts }: { type: number; id: number; parts: readonly Uint8Array[] },
  frameBytes: number,
): Generator<FrameDraft & { readonly sizeBytes: number }> {
  const most = frameBytes - frameHeaderBytes;
  let left = sizeOf(parts);
  let rest = parts;
  do {
    const sizeBytes = Math.min(left, most);
    const [taken, after] = splitParts(rest, sizeBytes);
    rest = after;
    left -= sizeBytes;
    yield { type, id, more: left > 0, parts: taken, sizeBytes };
  } while (left > 0);
}

function splitParts(parts: readonly Uint8Array[], size: number): [Uint8Array[], Uint8Array[]] {
  const taken: Uint8Array[] = [];
  const rest: Uint8Array[] = [];
  let left = size;
  for (const part of parts) {
    const here = Math.min(left, part.length);
    if (here > 0) taken.push(part.subarray(0, here));
    if (here < part.length) rest.push(part.subarray(here));
    left -= here;
  }
  return [taken, rest];
}

function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (cause) {
    throw violation('what is no JSON', cause);
  }
}

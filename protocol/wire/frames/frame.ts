import { SandboxError } from '../../errors.ts';

/** The versions of the wire protocol this code speaks, best first (protocol/SPEC.md, "Wire protocol"). */
export const wireVersions: readonly number[] = [1];

/** Every frame starts with u8 type, u8 flags, u16 zero, u32 id, u32 number, little-endian (WP-2). */
export const frameHeaderBytes = 12;

/** Frames of the connection itself; they have no number and are never sent again. */
export const linkFrames = { hello: 0x01, welcome: 0x02, bye: 0x03, ping: 0x04, ack: 0x05 } as const;

/** Numbered frames of the client. */
export const clientFrames = { request: 0x10, abort: 0x11, credit: 0x12 } as const;

/** Numbered frames of the server. */
export const serverFrames = {
  answer: 0x20,
  error: 0x21,
  stdout: 0x22,
  stderr: 0x23,
  item: 0x24,
  end: 0x25,
  fail: 0x26,
} as const;

const firstNumberedType = 0x10;
const knownTypes: ReadonlySet<number> = new Set(
  [linkFrames, clientFrames, serverFrames].flatMap((types) => Object.values(types)),
);
const moreFlag = 1;

/** A frame: one message of the transport. */
export interface Frame {
  readonly type: number;
  /** The request, stream or handle it is about; 0 for none. */
  readonly id: number;
  /** Its place among the numbered frames of its sender, modulo 2³²; for an ack, how many it has received. */
  readonly number: number;
  /** Whether the body goes on in the next frame of this type and id. */
  readonly more: boolean;
  readonly payload: Uint8Array;
}

/** A frame that has no number yet, its payload in parts, so that the one copy is the one into the message. */
export interface FrameDraft {
  readonly type: number;
  readonly id?: number;
  readonly more?: boolean;
  readonly parts?: readonly Uint8Array[];
}

/** Whether frames of this type are numbered, kept until they are acknowledged, and sent again. */
export function isNumbered(type: number): boolean {
  return type >= firstNumberedType;
}

/** One transport message. Copies the parts. */
export function encodeFrame(draft: FrameDraft, number = 0): Uint8Array {
  const bytes = new Uint8Array(frameSize(draft));
  writeFrame(bytes, { ...draft, number });
  return bytes;
}

/** Bytes of the transport message that a draft becomes. */
export function frameSize({ parts = [] }: FrameDraft): number {
  return frameHeaderBytes + sizeOf(parts);
}

/** Writes a transport message over all of `bytes`, which are `frameSize` many. Copies the parts. */
export function writeFrame(
  bytes: Uint8Array,
  { type, id = 0, more = false, parts = [], number }: FrameDraft & { readonly number: number },
): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, frameHeaderBytes);
  view.setUint8(0, type);
  view.setUint8(1, more ? moreFlag : 0);
  view.setUint16(2, 0);
  view.setUint32(4, id, true);
  view.setUint32(8, number, true);
  let at = frameHeaderBytes;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
}

/** Reads one transport message; the payload is a view into it. @throws protocol-violation */
export function parseFrame(message: Uint8Array): Frame {
  if (message.length < frameHeaderBytes) throw violation(`a frame of ${message.length} bytes`);
  const view = new DataView(message.buffer, message.byteOffset, frameHeaderBytes);
  const [type, flags] = [view.getUint8(0), view.getUint8(1)];
  if (!knownTypes.has(type)) throw violation(`an unknown frame type ${type}`);
  if (flags > moreFlag || view.getUint16(2, true) !== 0) throw violation('unknown flags in a frame');
  return {
    type,
    id: view.getUint32(4, true),
    number: view.getUint32(8, true),
    more: flags === moreFlag,
    payload: message.subarray(frameHeaderBytes),
  };
}

/** Bytes of all parts together. */
export function sizeOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

/** What a peer is told that sent `what`, and why the session ends. */
export function violation(what: string, cause?: unknown): SandboxError {
  return new SandboxError('protocol-violation', `Cannot go on with the peer: it sent ${what}`, { cause });
}

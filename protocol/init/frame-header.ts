import { limits } from '../limits.ts';

/** The protocol version this code speaks (protocol/SPEC.md, "Init protocol"). */
export const initProtocolVersion = 1;

/** Every frame starts with u32 type, u32 id, u32 body length, u32 zero, little-endian (IP-1). */
export const headerBytes = 16;

/** The id of a PING whose answer is ignored; requests and streams have smaller ids. */
export const unaskedId = 0xffff_ffff;

/** Length of the nonce in HELLO and of init's boot id. */
export const nonceBytes = 16;

/** Stands before HELLO in either direction; no byte of it is below 0x80, so it overlaps no header (IP-4). */
export const resyncMarker: Uint8Array = Uint8Array.of(
  ...[0xf5, 0xc0, 0x99, 0xb1, 0xce, 0xa7, 0xd2, 0x8e],
  ...[0xe3, 0x94, 0xbb, 0x86, 0xda, 0xad, 0xc9, 0xf8],
);

/** Frame types of the host. */
export const hostFrameTypes = {
  hello: 0x01,
  mount: 0x02,
  unmount: 0x03,
  exec: 0x04,
  stdin: 0x05,
  stdinEnd: 0x06,
  signal: 0x07,
  resize: 0x08,
  credit: 0x09,
  close: 0x0a,
  setClock: 0x0b,
  addEntropy: 0x0c,
  sync: 0x0d,
  dropCaches: 0x0e,
  setHostname: 0x0f,
  list: 0x10,
  ping: 0x11,
  shutdown: 0x12,
  connect: 0x13,
} as const;

/** Frame types of init. */
export const initFrameTypes = {
  hello: 0x20,
  attached: 0x21,
  started: 0x22,
  stdout: 0x23,
  stderr: 0x24,
  exit: 0x25,
  credit: 0x26,
  ok: 0x27,
  error: 0x28,
  pong: 0x29,
  processes: 0x2a,
  log: 0x2b,
  status: 0x2c,
} as const;

/** Writes a header at the start of `into`. */
export function writeHeader(into: Uint8Array, header: { type: number; id: number; bodyBytes: number }): void {
  const view = new DataView(into.buffer, into.byteOffset, headerBytes);
  view.setUint32(0, header.type, true);
  view.setUint32(4, header.id, true);
  view.setUint32(8, header.bodyBytes, true);
  view.setUint32(12, 0, true);
}

/** The body length that a header at `offset` announces, or -1 when it exceeds `limits.initFrameBytes`. */
export function readBodyLength(bytes: Uint8Array, offset: number): number {
  const length = readUint32(bytes, offset + 8);
  return length > limits.initFrameBytes ? -1 : length;
}

/** A little-endian u32; the caller has checked that it is there. */
export function readUint32(bytes: Uint8Array, offset: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset + offset, 4).getUint32(0, true);
}

/** Where `pattern` begins in `bytes` at or after `from`, or -1. */
export function indexOfBytes(bytes: Uint8Array, pattern: Uint8Array, from = 0): number {
  const first = pattern[0] ?? 0;
  const last = bytes.length - pattern.length;
  for (let at = bytes.indexOf(first, from); at !== -1 && at <= last; at = bytes.indexOf(first, at + 1)) {
    let same = 1;
    while (same < pattern.length && bytes[at + same] === pattern[same]) same++;
    if (same === pattern.length) return at;
  }
  return -1;
}

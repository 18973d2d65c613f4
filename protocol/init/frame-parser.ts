import { SandboxError } from '../errors.ts';
import { limits } from '../limits.ts';
import {
  headerBytes,
  indexOfBytes,
  initFrameTypes,
  nonceBytes,
  readBodyLength,
  readUint32,
  resyncMarker,
  writeHeader,
} from './frame-header.ts';
import type { RawFrame } from './init-frames.ts';

const helloBodyBytes = 44;
const beaconBytes = resyncMarker.length + headerBytes + nonceBytes;
const none = new Uint8Array(0);

/** The first bytes of the HELLO with `nonce`: marker, header and nonce. */
export function helloBeacon(nonce: Uint8Array): Uint8Array {
  const header = new Uint8Array(headerBytes);
  writeHeader(header, { type: initFrameTypes.hello, id: 0, bodyBytes: helloBodyBytes });
  return Uint8Array.from([...resyncMarker, ...header, ...nonce]);
}

/**
 * Splits init's byte stream into frames, however the channel splits it. Buffers at most one frame. Not synchronized
 * until the answer to `seek(nonce)` comes: process output cannot forge that, since only init has seen the nonce
 * (IP-4).
 */
export class FrameParser {
  readonly #onFrame: (frame: RawFrame) => void;
  /** The buffered part of an incomplete frame: its first `#held` bytes. */
  #buffer = none;
  #held = 0;
  /** Marker, header and nonce of the expected HELLO. */
  #beacon: Uint8Array | undefined;
  /** Called with frames before that. */
  #onEarly: ((frame: RawFrame) => void) | undefined;

  constructor(onFrame: (frame: RawFrame) => void) {
    this.#onFrame = onFrame;
  }

  get inStep(): boolean {
    return this.#beacon === undefined;
  }

  /**
   * Drops everything up to the HELLO that begins so (`helloBeacon`). With `onEarly`, the stream is at the start of
   * a frame: valid, complete frames before that HELLO are passed to it. An incomplete one is sent again after the
   * HELLO (IP-5).
   */
  seek(beacon: Uint8Array, onEarly?: (frame: RawFrame) => void): void {
    this.#beacon = beacon;
    this.#onEarly = onEarly;
    this.#held = 0;
  }

  /** Takes ownership of `bytes`. @throws protocol-violation when a header cannot be */
  push(bytes: Uint8Array): void {
    let rest = bytes;
    if (this.#beacon) {
      rest = this.#find(this.#beacon, bytes);
      if (this.#beacon) return;
    }
    while (rest.length > 0) rest = this.#held > 0 ? this.#complete(rest) : this.#cut(rest);
  }

  /** The bytes from the expected HELLO on; buffers what may be its beginning, or that of a frame before it. */
  #find(beacon: Uint8Array, bytes: Uint8Array): Uint8Array {
    const joined = new Uint8Array(this.#held + bytes.length);
    joined.set(this.#buffer.subarray(0, this.#held));
    joined.set(bytes, this.#held);
    const at = indexOfBytes(joined, beacon);
    const rest = this.#cutEarly(at < 0 ? joined : joined.subarray(0, at), beacon);
    if (at >= 0) {
      this.#beacon = undefined;
      this.#held = 0;
      return joined.subarray(at + resyncMarker.length);
    }
    this.#hold(this.#onEarly ? rest : rest.subarray(Math.max(0, rest.length - beacon.length + 1)));
    return none;
  }

  /** Takes complete frames off the front. After a header that init never writes, nothing is trusted any more. */
  #cutEarly(bytes: Uint8Array, beacon: Uint8Array): Uint8Array {
    let rest = bytes;
    while (this.#onEarly && rest.length >= headerBytes) {
      const isMarker = rest[0] === resyncMarker[0];
      if (!isMarker && !isInitHeader(rest)) {
        this.#onEarly = undefined;
        break;
      }
      const size = isMarker ? resyncMarker.length : headerBytes + readBodyLength(rest, 0);
      if (size > rest.length || endsAmid(beacon, rest, size)) break;
      if (!isMarker) this.#onEarly(rawFrame(rest.subarray(0, size)));
      rest = rest.subarray(size);
    }
    return rest;
  }

  /** Takes one complete frame off the front of `bytes`, or buffers the part that is there. */
  #cut(bytes: Uint8Array): Uint8Array {
    const size = frameSize(bytes);
    if (size === undefined || size > bytes.length) {
      this.#hold(bytes);
      return none;
    }
    this.#emit(bytes.subarray(0, size));
    return bytes.subarray(size);
  }

  /** Adds the missing bytes to the buffered frame. */
  #complete(bytes: Uint8Array): Uint8Array {
    const size = frameSize(this.#buffer.subarray(0, this.#held)) ?? headerBytes;
    const taken = Math.min(size - this.#held, bytes.length);
    this.#append(bytes.subarray(0, taken));
    if (this.#held === frameSize(this.#buffer.subarray(0, this.#held))) {
      const whole = this.#buffer.slice(0, this.#held);
      this.#held = 0;
      this.#emit(whole);
    }
    return bytes.subarray(taken);
  }

  #emit(frame: Uint8Array): void {
    // A second answer to a HELLO that was sent twice: its frame follows.
    if (frame[0] === resyncMarker[0]) return;
    this.#onFrame(rawFrame(frame));
  }

  #hold(bytes: Uint8Array): void {
    this.#held = 0;
    this.#append(bytes);
  }

  #append(bytes: Uint8Array): void {
    if (this.#buffer.length === 0)
      this.#buffer = new Uint8Array(headerBytes + limits.initFrameBytes + beaconBytes);
    this.#buffer.set(bytes, this.#held);
    this.#held += bytes.length;
  }
}

const knownTypes: ReadonlySet<number> = new Set(Object.values(initFrameTypes));

function isInitHeader(bytes: Uint8Array): boolean {
  return knownTypes.has(readUint32(bytes, 0)) && readBodyLength(bytes, 0) >= 0 && readUint32(bytes, 12) === 0;
}

/** Whether the first `size` bytes end within what may be the beacon: then they are not a complete frame. */
function endsAmid(beacon: Uint8Array, bytes: Uint8Array, size: number): boolean {
  const first = beacon[0] ?? 0;
  let at = bytes.indexOf(first, Math.max(0, size - beacon.length + 1));
  for (; at >= 0 && at < size; at = bytes.indexOf(first, at + 1)) {
    const there = bytes.subarray(at, at + beacon.length);
    if (there.every((byte, index) => byte === beacon[index])) return true;
  }
  return false;
}

function rawFrame(frame: Uint8Array): RawFrame {
  return { type: readUint32(frame, 0), id: readUint32(frame, 4), body: frame.subarray(headerBytes) };
}

/** Size of the frame or marker that begins with `bytes`; `undefined` while that is not known. */
function frameSize(bytes: Uint8Array): number | undefined {
  if (bytes[0] === resyncMarker[0]) return resyncMarker.length;
  if (bytes.length < headerBytes) return undefined;
  const bodyBytes = readBodyLength(bytes, 0);
  if (bodyBytes < 0) {
    throw new SandboxError('protocol-violation', 'Cannot read from init: a frame header is out of bounds');
  }
  return headerBytes + bodyBytes;
}

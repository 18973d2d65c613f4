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

/** What the HELLO that carries `nonce` begins with: marker, header and nonce. */
export function helloBeacon(nonce: Uint8Array): Uint8Array {
  const header = new Uint8Array(headerBytes);
  writeHeader(header, { type: initFrameTypes.hello, id: 0, bodyBytes: helloBodyBytes });
  return Uint8Array.from([...resyncMarker, ...header, ...nonce]);
}

/**
 * Cuts what init sends into frames, wherever the channel cuts it. Holds at most one frame. Out of
 * step until the answer to `seek(nonce)` comes: process output cannot forge that, since only init
 * has seen the nonce (IP-4).
 */
export class FrameParser {
  readonly #onFrame: (frame: RawFrame) => void;
  /** What is held of the frame that is under way; `#held` bytes of it count. */
  #buffer = none;
  #held = 0;
  /** Marker, header and nonce of the HELLO that is waited for. */
  #beacon: Uint8Array | undefined;
  /** Told of frames before that. */
  #onEarly: ((frame: RawFrame) => void) | undefined;

  constructor(onFrame: (frame: RawFrame) => void) {
    this.#onFrame = onFrame;
  }

  get inStep(): boolean {
    return this.#beacon === undefined;
  }

  /**
   * Drops everything up to the HELLO that begins so (`helloBeacon`). With `onEarly`, init is about to begin a frame:
   * whole ones before that HELLO are told of, as long as they can be. One that is not whole comes again after it (IP-5).
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

  /** Bytes from the awaited HELLO on, or keeps what may be its beginning, or that of a frame before it. */
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

  /** Takes whole frames off the front. After a header that init does not write nothing is believed any more. */
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

  /** Takes one whole frame off the front of `bytes`, or holds what there is of it. */
  #cut(bytes: Uint8Array): Uint8Array {
    const size = frameSize(bytes);
    if (size === undefined || size > bytes.length) {
      this.#hold(bytes);
      return none;
    }
    this.#emit(bytes.subarray(0, size));
    return bytes.subarray(size);
  }

  /** Adds to the held frame as much as it still needs. */
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

/** Whether the first `size` bytes end amid what may become the beacon: then they are no whole frame. */
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

import { SandboxError } from '../errors.ts';
import { limits } from '../limits.ts';
import {
  headerBytes,
  indexOfBytes,
  initFrameTypes,
  readBodyLength,
  readUint32,
  resyncMarker,
  writeHeader,
} from './frame-header.ts';
import type { RawFrame } from './init-frames.ts';

const helloBodyBytes = 44;
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

  constructor(onFrame: (frame: RawFrame) => void) {
    this.#onFrame = onFrame;
  }

  get inStep(): boolean {
    return this.#beacon === undefined;
  }

  /** Drops everything up to the HELLO that begins so (`helloBeacon`). */
  seek(beacon: Uint8Array): void {
    this.#beacon = beacon;
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

  /** Bytes from the awaited HELLO on, or keeps the tail that may be its beginning. */
  #find(beacon: Uint8Array, bytes: Uint8Array): Uint8Array {
    const joined = new Uint8Array(this.#held + bytes.length);
    joined.set(this.#buffer.subarray(0, this.#held));
    joined.set(bytes, this.#held);
    const at = indexOfBytes(joined, beacon);
    if (at >= 0) {
      this.#beacon = undefined;
      this.#held = 0;
      return joined.subarray(at + resyncMarker.length);
    }
    this.#hold(joined.subarray(Math.max(0, joined.length - beacon.length + 1)));
    return none;
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
    this.#onFrame({
      type: readUint32(frame, 0),
      id: readUint32(frame, 4),
      body: frame.subarray(headerBytes),
    });
  }

  #hold(bytes: Uint8Array): void {
    this.#held = 0;
    this.#append(bytes);
  }

  #append(bytes: Uint8Array): void {
    if (this.#buffer.length === 0) this.#buffer = new Uint8Array(headerBytes + limits.initFrameBytes);
    this.#buffer.set(bytes, this.#held);
    this.#held += bytes.length;
  }
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

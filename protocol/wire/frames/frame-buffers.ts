import { limits } from '../../limits.ts';

/** Below this a buffer of its own costs little, and one that is used again is mostly empty: what is kept is counted by frames. */
const pooledFromBytes = limits.wirePooledFrameBytes / 2;

/**
 * Buffers of frames that have arrived, to be used again: with a new one for each, output that flows
 * keeps the garbage collector busier than the copying. Of one link alone, so that no peer can get
 * what was another's.
 */
export class FrameBuffers {
  readonly #free: ArrayBuffer[] = [];

  /** Room for a frame, in which anything may be. */
  take(sizeBytes: number): Uint8Array {
    if (sizeBytes < pooledFromBytes || sizeBytes > limits.wirePooledFrameBytes)
      return new Uint8Array(sizeBytes);
    return new Uint8Array(this.#free.pop() ?? new ArrayBuffer(limits.wirePooledFrameBytes), 0, sizeBytes);
  }

  /** Takes back what nobody reads any more. */
  give({ buffer }: Uint8Array): void {
    const isPooled = buffer instanceof ArrayBuffer && buffer.byteLength === limits.wirePooledFrameBytes;
    if (isPooled && this.#free.length < limits.wirePooledFrames) this.#free.push(buffer);
  }

  /** Lets go of those that wait. */
  clear(): void {
    this.#free.length = 0;
  }
}

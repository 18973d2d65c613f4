import { Gunzip } from 'fflate';
import { recordingLimits } from '../limits.ts';
import { refuseRecording } from '../recording-error.ts';

/** Inflated as a step, so that a bomb is noticed after a thousand times as much, and so that members in one another's wake do not recur too deep. */
const stepBytes = 8_192;

/** Whether bytes begin as a gzip does (RFC 1952, 2.3.1). */
export function isGzip(beginning: Uint8Array): boolean {
  return beginning[0] === 0x1f && beginning[1] === 0x8b;
}

/** A part of what a gzip inflates to, or that a member of it begins at an offset of the gzip. */
export type Inflated =
  | { readonly type: 'text'; readonly bytes: Uint8Array }
  | { readonly type: 'member'; readonly offset: number };

/** Inflates a gzip of any number of members as it comes. What was cut from its end is no error: the rest came before. */
export class GzipReader {
  readonly #gunzip: Gunzip;
  #made: Inflated[] = [{ type: 'member', offset: 0 }];
  #inflatedBytes = 0;

  constructor() {
    this.#gunzip = new Gunzip((bytes) => {
      if (bytes.length === 0) return;
      this.#inflatedBytes += bytes.length;
      if (this.#inflatedBytes > recordingLimits.inflatedBytes)
        throw refuseRecording(`it inflates to more than ${recordingLimits.inflatedBytes} bytes`, {
          code: 'limit-exceeded',
        });
      this.#made.push({ type: 'text', bytes });
    });
    this.#gunzip.onmember = (offset) => this.#made.push({ type: 'member', offset });
  }

  /** @throws invalid-argument for what is no gzip, limit-exceeded */
  *push(piece: Uint8Array): Generator<Inflated> {
    for (let at = 0; at < piece.length; at += stepBytes) {
      try {
        this.#gunzip.push(piece.subarray(at, at + stepBytes));
      } catch (error) {
        yield* this.#take();
        if (error instanceof Error && 'details' in error) throw error;
        throw refuseRecording('its gzip is damaged', { cause: error });
      }
      yield* this.#take();
    }
  }

  #take(): readonly Inflated[] {
    const made = this.#made;
    this.#made = [];
    return made;
  }
}

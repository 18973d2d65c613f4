import type { Readable } from 'node:stream';
import { parseScanFrame, type ScanFrame, scanBodyBytes, scanHeaderBytes } from './scan-frames.ts';

/** Cuts what a scanner writes into frames. Holds one piece of input, and what was read ahead. */
export class FrameReader {
  readonly #input: AsyncIterator<Buffer>;
  #bytes: Buffer = Buffer.alloc(0);
  /** Frames that were read ahead, from `#aheadAt` on. */
  #ahead: ScanFrame[] = [];
  #aheadAt = 0;

  constructor(input: Readable) {
    this.#input = input[Symbol.asyncIterator]();
  }

  /** The next frame; its bytes are the caller's. @throws RangeError when it is malformed, or there is none */
  async next(): Promise<ScanFrame> {
    const frame = this.#ahead[this.#aheadAt];
    if (frame === undefined) return this.#parsed() ?? this.#read();
    this.#aheadAt += 1;
    return frame;
  }

  /**
   * Reads on until `answers` have ended, or failed, and keeps what it read for `next`. Gives up when
   * that is more than `maxBytes`. Answers whether it is all there.
   */
  async readAhead({ answers, maxBytes }: { answers: number; maxBytes: number }): Promise<boolean> {
    this.#ahead = this.#ahead.slice(this.#aheadAt);
    this.#aheadAt = 0;
    let bytes = 0;
    for (let ended = 0; ended < answers; ) {
      if (bytes > maxBytes) return false;
      const frame = this.#parsed() ?? (await this.#read());
      this.#ahead.push(frame);
      bytes += frameBytes(frame);
      if (frame.type === 'failed') return true;
      if (frame.type === 'done') ended += 1;
    }
    return true;
  }

  async #read(): Promise<ScanFrame> {
    for (;;) {
      const piece = await this.#input.next();
      if (piece.done) throw new RangeError('the scanner has ended');
      this.#bytes = this.#bytes.length === 0 ? piece.value : Buffer.concat([this.#bytes, piece.value]);
      const frame = this.#parsed();
      if (frame) return frame;
    }
  }

  #parsed(): ScanFrame | undefined {
    const bytes = this.#bytes;
    if (bytes.length < scanHeaderBytes) return undefined;
    const end = scanHeaderBytes + bytes.readUInt32LE(0);
    if (end > scanHeaderBytes + scanBodyBytes) throw new RangeError('the scanner told too much at once');
    if (bytes.length < end) return undefined;
    this.#bytes = bytes.subarray(end);
    return parseScanFrame(bytes.readUInt8(4), bytes.subarray(scanHeaderBytes, end));
  }
}

/** What a frame of no content costs to keep. */
const plainFrameBytes = 128;

function frameBytes(frame: ScanFrame): number {
  if (frame.type === 'data') return plainFrameBytes + frame.bytes.length;
  return plainFrameBytes + (frame.type === 'attribute' ? frame.value.length : 0);
}

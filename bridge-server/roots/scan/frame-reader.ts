import type { Readable } from 'node:stream';
import { parseScanFrame, type ScanFrame, scanBodyBytes, scanHeaderBytes } from './scan-frames.ts';

/** Cuts what a scanner writes into frames. Holds one piece of input. */
export class FrameReader {
  readonly #input: AsyncIterator<Buffer>;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(input: Readable) {
    this.#input = input[Symbol.asyncIterator]();
  }

  /** The next frame; its bytes are the caller's. @throws RangeError when it is malformed, or there is none */
  async next(): Promise<ScanFrame> {
    return this.#parsed() ?? this.#read();
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

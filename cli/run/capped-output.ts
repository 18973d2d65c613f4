import { Writable } from 'node:stream';

/** Passes on the first `capBytes` that are written to it, and counts the rest. Its target stays its owner's. */
export class CappedOutput extends Writable {
  droppedBytes = 0;
  readonly #target: Writable;
  #roomBytes: number;

  constructor(target: Writable, capBytes: number) {
    super();
    this.#target = target;
    this.#roomBytes = capBytes;
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const passed = bytes.subarray(0, this.#roomBytes);
    this.#roomBytes -= passed.length;
    this.droppedBytes += bytes.length - passed.length;
    if (passed.length > 0) this.#target.write(passed, done);
    else done();
  }
}

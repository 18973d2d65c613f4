import { pageBytes } from '../../../wasm/pages/page-kernels.ts';
import type { LiveCpu } from './live-internals.ts';

/** A machine's RAM where v86 has it: a part of the memory of its WebAssembly. */
export class GuestRam {
  readonly #cpu: LiveCpu;
  readonly offset: number;
  readonly sizeBytes: number;
  readonly pages: number;
  #bytes: Uint8Array;

  constructor(cpu: LiveCpu) {
    this.#cpu = cpu;
    this.offset = cpu.mem8.byteOffset;
    this.sizeBytes = cpu.mem8.length;
    this.pages = this.sizeBytes / pageBytes;
    this.#bytes = this.#view();
  }

  /** All of it. To be asked for anew after anything has run: memory that grows leaves views behind. */
  get bytes(): Uint8Array {
    if (this.#bytes.buffer !== this.#cpu.wasm_memory.buffer) this.#bytes = this.#view();
    return this.#bytes;
  }

  /** The whole memory of the module. */
  get memory(): ArrayBuffer {
    return this.#cpu.wasm_memory.buffer;
  }

  numbers(): Iterable<number> {
    return Array(this.pages).keys();
  }

  page(number: number): Uint8Array {
    return this.bytes.subarray(number * pageBytes, (number + 1) * pageBytes);
  }

  #view(): Uint8Array {
    return new Uint8Array(this.#cpu.wasm_memory.buffer, this.offset, this.sizeBytes);
  }
}

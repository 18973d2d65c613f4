import { type PageKernels, pageBytes, tableBytes } from '../../../wasm/pages/page-kernels.ts';
import { memoryLimits } from './limits.ts';

const mostBytes = memoryLimits.blockPages * pageBytes;
const wasmPageBytes = 65_536;
/** Of its memory: what goes in, what comes out, and what the kernel needs for itself. */
const [inAt, outAt, tableAt] = [0, mostBytes, 2 * mostBytes];

/** Packs blocks of pages as LZ4 blocks, and unpacks them, with page kernels on a memory of its own. */
export class BlockCodec {
  readonly #kernels: PageKernels;
  readonly #bytes: Uint8Array;

  constructor(openKernels: (memory: object) => PageKernels) {
    const memory = new WebAssembly.Memory({ initial: Math.ceil((tableAt + tableBytes) / wasmPageBytes) });
    this.#kernels = openKernels(memory);
    this.#bytes = new Uint8Array(memory.buffer);
  }

  /** Answers what it is packed as; nothing where that would not be smaller. At most `blockPages` pages. */
  pack(block: Uint8Array): Uint8Array | undefined {
    this.#bytes.set(block, inAt);
    const length = this.#kernels.compress(inAt, block.length, outAt, block.length - 1, tableAt);
    return length < 0 ? undefined : this.#bytes.slice(outAt, outAt + length);
  }

  /** Fills `into`, of at most `blockPages` pages, with what was packed. @throws RangeError for what has another length */
  unpack(packed: Uint8Array, into: Uint8Array): void {
    if (packed.length > mostBytes) throw new RangeError('A packed block is longer than its pages');
    this.#bytes.set(packed, inAt);
    const length = this.#kernels.decompress(inAt, packed.length, outAt, into.length);
    if (length !== into.length) throw new RangeError('A block is not what it says');
    into.set(this.#bytes.subarray(outAt, outAt + length));
  }
}

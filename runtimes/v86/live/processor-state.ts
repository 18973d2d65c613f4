import type { LiveCpu } from './live-internals.ts';

/**
 * Where v86 0.5.462 has the processor in the memory of its module, from and to (`src/rust/cpu/global_pointers.rs`):
 * what its `CPU.prototype.get_state` lists, without the size of RAM.
 */
const registers = [
  [64, 108], // General registers, and what flags are computed of.
  [112, 116], // The last result.
  [120, 124], // Flags.
  [512, 520], // Access of segments.
  [556, 628], // Instruction pointers, descriptor tables, control registers.
  [636, 649], // Of `sysenter`, prefixes.
  [668, 716], // Segments, debug registers.
  [724, 809], // Segments, modes.
  [816, 817], // Which registers of the FPU are empty.
  [824, 828], // MXCSR
  [832, 1000], // XMM, the time-stamp counter, page directory pointers.
  [1032, 1064], // FPU
  [1128, 1129], // Size of the task's segment.
  [1152, 1280], // Registers of the FPU.
] as const;
const counterAt = 960;
/** Bytes of the interrupt controllers (v86's `get_state_pic`, `get_state_apic`, `get_state_ioapic`). */
const picBytes = 13;
const apicBytes = 4 * 46;
const ioApicBytes = 4 * 52;

/** The processor and its interrupt controllers, which v86 has in the memory of its module. */
export class Processor {
  readonly #cpu: LiveCpu;
  /** Of every byte. */
  readonly #addresses: Uint32Array;

  constructor(cpu: LiveCpu) {
    this.#cpu = cpu;
    const parts = [
      ...registers.map(([from, to]) => [from, to - from] as const),
      [cpu.get_pic_addr_master(), picBytes],
      [cpu.get_pic_addr_slave(), picBytes],
      [cpu.get_apic_addr(), apicBytes],
      [cpu.get_ioapic_addr(), ioApicBytes],
    ] as const;
    this.#addresses = Uint32Array.from(
      parts.flatMap(([address, sizeBytes]) => Array.from({ length: sizeBytes }, (_, at) => address + at)),
    );
  }

  /** Its bytes, one behind the other. */
  save(): Uint8Array {
    this.#cpu.store_current_tsc();
    const memory = new Uint8Array(this.#cpu.wasm_memory.buffer);
    const addresses = this.#addresses;
    const saved = new Uint8Array(addresses.length);
    for (let at = 0; at < saved.length; at++) saved[at] = memory[addresses[at] as number] as number;
    return saved;
  }

  /** Puts them back. @throws RangeError for what another version has saved */
  restore(saved: Uint8Array): void {
    const addresses = this.#addresses;
    if (saved.length !== addresses.length)
      throw new RangeError(`A processor is not of ${saved.length} bytes`);
    const { buffer } = this.#cpu.wasm_memory;
    // `set_tsc` counts from the offset that the last one has set: without this the guest's time stands still.
    const counter = new Uint32Array(buffer, counterAt, 2);
    this.#cpu.store_current_tsc();
    this.#cpu.set_tsc(counter[0] ?? 0, counter[1] ?? 0);
    const memory = new Uint8Array(buffer);
    for (let at = 0; at < saved.length; at++) memory[addresses[at] as number] = saved[at] as number;
    this.#cpu.set_tsc(counter[0] ?? 0, counter[1] ?? 0);
    this.#cpu.update_state_flags();
    this.#cpu.full_clear_tlb();
  }
}

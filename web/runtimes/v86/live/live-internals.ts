/**
 * The parts of v86 0.5.462 by which a running machine is saved and put back, which its public types do
 * not name. They survive its minifier: v86 reaches them by string, or they are members of prototypes.
 */
export interface LiveCpu {
  readonly wasm_memory: { readonly buffer: ArrayBuffer };
  /** RAM; a proxy that makes a view at each access: only its offset and its length are to be read. */
  readonly mem8: Uint8Array;
  readonly devices: Readonly<Record<string, Device | undefined>>;
  readonly current_tsc: Uint32Array;
  readonly svga_dirty_bitmap_max_offset: Uint32Array;
  last_result: Int32Array;
  fpu_status_word: Uint16Array;
  mxcsr: Int32Array;
  get_state(): unknown[];
  set_state(state: readonly unknown[]): void;
  pack_memory(): { packed_memory: Uint8Array; bitmap: { get_buffer(): ArrayBuffer } };
  unpack_memory(bitmap: unknown, packed: Uint8Array): void;
  jit_clear_cache(): void;
  jit_dirty_cache(start: number, end: number): void;
  full_clear_tlb(): void;
  store_current_tsc(): void;
  set_tsc(low: number, high: number): void;
  write_blob(bytes: Uint8Array, address: number): void;
  write8(address: number, value: number): void;
  write16(address: number, value: number): void;
  write32(address: number, value: number): void;
}

interface Device {
  get_state(): unknown[];
  set_state(state: readonly unknown[]): void;
}

const functions = [
  'get_state',
  'set_state',
  'pack_memory',
  'unpack_memory',
  'jit_clear_cache',
  'jit_dirty_cache',
  'full_clear_tlb',
  'store_current_tsc',
  'set_tsc',
  'write_blob',
  'write8',
  'write16',
  'write32',
] as const;

/** The processor of a loaded emulator; throws a `TypeError` that names the first part this v86 lacks. */
export function liveCpu(emulator: object): LiveCpu {
  const { cpu } = (emulator as { v86?: { cpu?: LiveCpu } }).v86 ?? {};
  if (!cpu?.mem8 || !cpu.wasm_memory) throw new TypeError('This version of v86 has no cpu.mem8');
  for (const name of functions) {
    if (typeof cpu[name] !== 'function') throw new TypeError(`This version of v86 has no cpu.${name}`);
  }
  return cpu;
}

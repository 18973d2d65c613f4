import type { GrowingMemory } from './page-arena.ts';

/**
 * The parts of v86 0.5.462 by which a running machine is saved and put back, which its public types do
 * not name. They survive its minifier: v86 reaches them by string, or they are members of prototypes.
 */
export interface LiveCpu {
  readonly wasm_memory: GrowingMemory;
  /** RAM; a proxy that makes a view at each access: only its offset and its length are to be read. */
  readonly mem8: Uint8Array;
  readonly devices: Readonly<Record<string, Device | undefined>>;
  /** By their numbers. */
  readonly io: { readonly ports: readonly Port[] };
  readonly svga_dirty_bitmap_max_offset: Uint32Array;
  /** What the firmware's port answers, byte by byte. */
  fw_value: ArrayLike<number> & Iterable<number>;
  /** Addresses of the interrupt controllers in the memory of the module. */
  get_pic_addr_master(): number;
  get_pic_addr_slave(): number;
  get_apic_addr(): number;
  get_ioapic_addr(): number;
  /** Computes what compiled code is chosen by: to be called once registers were set. */
  update_state_flags(): void;
  jit_dirty_cache(start: number, end: number): void;
  full_clear_tlb(): void;
  store_current_tsc(): void;
  set_tsc(low: number, high: number): void;
  /** Physical memory, as devices reach it; `read_blob` answers a view of RAM. */
  read_blob(address: number, sizeBytes: number): Uint8Array;
  read8(address: number): number;
  read16(address: number): number;
  read32s(address: number): number;
  write_blob(bytes: Uint8Array, address: number): void;
  write8(address: number, value: number): void;
  write16(address: number, value: number): void;
  write32(address: number, value: number): void;
}

export interface Device {
  /** Numbers, text, lists, maps, arrays of numbers and devices: its own, not copies. */
  get_state(): unknown[];
  /** Takes what it is given for its own. */
  set_state(state: readonly unknown[]): void;
}

/** Who answers at a port of the machine, and how: functions that are called as the device's. */
export interface Port {
  readonly device: object | undefined;
  read8: PortAccess;
  read16: PortAccess;
  read32: PortAccess;
  write8: PortAccess;
  write16: PortAccess;
  write32: PortAccess;
}

type PortAccess = (...values: number[]) => number | undefined;

/** A serial port, with the bytes that wait for the guest. */
export interface SerialPort extends Device {
  input: number[];
}

const functions = [
  'get_pic_addr_master',
  'get_pic_addr_slave',
  'get_apic_addr',
  'get_ioapic_addr',
  'update_state_flags',
  'jit_dirty_cache',
  'full_clear_tlb',
  'store_current_tsc',
  'set_tsc',
  'read_blob',
  'read8',
  'read16',
  'read32s',
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

/** The serial ports, by their names. */
export function serialPorts(cpu: LiveCpu): Readonly<Record<string, SerialPort | undefined>> {
  const { uart0, uart1, uart2, uart3 } = cpu.devices as Record<string, SerialPort | undefined>;
  return { uart0, uart1, uart2, uart3 };
}

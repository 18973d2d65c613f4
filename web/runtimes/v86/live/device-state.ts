import type { LiveCpu } from './live-internals.ts';
import { ScreenMemory } from './screen-memory.ts';

/** Everything of a machine but its RAM, as v86 lists it: numbers, lists, maps and arrays of numbers. */
export type DeviceState = readonly unknown[];

/** Places in what v86 0.5.462 lists (`CPU.prototype.get_state`). */
const places = { rtc: 47, pit: 58 };
/**
 * Registers that a restore of v86's own takes off the memory of its WebAssembly: it puts the saved lists
 * in the place of its views (places in what it lists, and `src/rust/cpu/global_pointers.rs`).
 */
const registers = [
  { name: 'last_result', place: 86, address: 112, view: Int32Array },
  { name: 'fpu_status_word', place: 87, address: 1040, view: Uint16Array },
  { name: 'mxcsr', place: 88, address: 824, view: Int32Array },
] as const;
/** Within those of the clock and the timer: times of the host's clock, ms. */
const rtcTimes = [2, 3, 4, 5, 13];
const pitStartTimes = 7;

const noMemory = { packed_memory: new Uint8Array(0), bitmap: { get_buffer: () => new ArrayBuffer(8) } };

/** What is as large is copied only when it has changed: the screen's memory, and buffers of disks and sound. */
const largeBytes = 16_384;

/** Saves and restores what a machine is beside its RAM. */
export class Devices {
  readonly #cpu: LiveCpu;
  readonly #large: LargeArrays;

  constructor(cpu: LiveCpu) {
    this.#cpu = cpu;
    this.#large = new LargeArrays(cpu);
  }

  /** Copies the state of processor and devices. Large parts are shared with earlier copies. */
  save(): DeviceState {
    const cpu = this.#cpu;
    bindRegisters(cpu);
    const pack = cpu.pack_memory;
    cpu.pack_memory = () => noMemory;
    try {
      this.#large.begin();
      return copy(cpu.get_state(), (numbers) => this.#large.save(numbers)) as unknown[];
    } finally {
      cpu.pack_memory = pack;
    }
  }

  /**
   * Puts a state back, `pausedMs` after it was saved: timers go on from where they stood. RAM has to be
   * there already; code that was compiled from pages that did not change stays. Of a state that another
   * thread has saved, `pausedEpochMs` is told as well: the same by the clock that tells the date.
   */
  restore(
    saved: DeviceState,
    { pausedMs, pausedEpochMs = pausedMs }: { pausedMs: number; pausedEpochMs?: number },
  ): void {
    const cpu = this.#cpu;
    const state = copy(saved, (numbers) => this.#large.restore(numbers)) as unknown[];
    moveTimes(state, { pausedMs, pausedEpochMs });
    const values = registers.map(({ place }) => state[place] as Int32Array | Uint16Array);
    for (const { place } of registers) state[place] = undefined;
    const { unpack_memory: unpack, jit_clear_cache: clear } = cpu;
    cpu.unpack_memory = () => {};
    cpu.jit_clear_cache = () => {};
    try {
      // `set_tsc` counts from the offset that the last one has set: without this the guest's time stands still.
      cpu.store_current_tsc();
      cpu.set_tsc(cpu.current_tsc[0] ?? 0, cpu.current_tsc[1] ?? 0);
      cpu.set_state(state);
      bindRegisters(cpu);
      for (const [index, { name }] of registers.entries()) cpu[name].set(values[index] ?? []);
    } finally {
      cpu.unpack_memory = unpack;
      cpu.jit_clear_cache = clear;
    }
  }
}

/** v86's large arrays, and what was last saved of each. */
class LargeArrays {
  #saved = new Map<Uint8Array, Uint8Array>();
  /** What was saved before the present list. */
  #before = new Map<Uint8Array, Uint8Array>();
  readonly #screen: ScreenMemory;

  constructor(cpu: LiveCpu) {
    this.#screen = new ScreenMemory(cpu);
  }

  /** A new list begins: arrays that are not in it are v86's no more. */
  begin(): void {
    this.#before = this.#saved;
    this.#saved = new Map();
  }

  /** A copy: the last one where nothing has changed. */
  save(live: Uint8Array): Uint8Array {
    const before = this.#before.get(live);
    const saved = before && this.#isSame(live, before) ? before : sliceOf(live);
    this.#saved.set(live, saved);
    this.#screen.saved(live);
    return saved;
  }

  /** What v86 may take for its own: its array itself where that has not changed since it was saved. */
  restore(saved: Uint8Array): Uint8Array {
    for (const [live, last] of this.#saved)
      if (last === saved && this.#isSame(live, saved)) return viewOf(live);
    this.#screen.replaced();
    return saved.slice();
  }

  #isSame(live: Uint8Array, saved: Uint8Array): boolean {
    return this.#screen.knows(live) ? !this.#screen.hasChanged(live) : isEqual(live, saved);
  }
}

/** Puts the views back. */
function bindRegisters(cpu: LiveCpu): void {
  const { buffer } = cpu.wasm_memory;
  cpu.last_result = new registers[0].view(buffer, registers[0].address, 1);
  cpu.fpu_status_word = new registers[1].view(buffer, registers[1].address, 1);
  cpu.mxcsr = new registers[2].view(buffer, registers[2].address, 1);
}

/** The clock tells the date, the timer the age of this thread. */
function moveTimes(
  state: unknown[],
  { pausedMs, pausedEpochMs }: { pausedMs: number; pausedEpochMs: number },
): void {
  const rtc = state[places.rtc] as number[] | undefined;
  for (const at of rtc ? rtcTimes : []) if (rtc?.[at]) rtc[at] += pausedEpochMs;
  const pit = state[places.pit] as { [at: number]: Float64Array | number[] } | undefined;
  const starts = pit?.[pitStartTimes];
  if (starts)
    for (let counter = 0; counter < starts.length; counter++) starts[counter] = (starts[counter] ?? 0) + pausedMs;
}

/** A deep copy that shares nothing with v86 but what `copyLarge` answers for large arrays. */
function copy(value: unknown, copyLarge: (numbers: Uint8Array) => Uint8Array): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => copy(item, copyLarge));
  if (value instanceof Map) return new Map(value); // Of numbers and text.
  const numbers = value as Uint8Array;
  if (numbers.BYTES_PER_ELEMENT) {
    return numbers.length * numbers.BYTES_PER_ELEMENT < largeBytes ? sliceOf(numbers) : copyLarge(numbers);
  }
  return copy((value as { get_state(): unknown[] }).get_state(), copyLarge);
}

function sliceOf(numbers: Uint8Array): Uint8Array {
  return viewOf(numbers).slice();
}

/** The numbers themselves: some of v86's arrays are proxies, which are slow, and no views for the language. */
function viewOf(numbers: Uint8Array): Uint8Array {
  const kind = numbers.constructor as Uint8ArrayConstructor;
  return new kind(numbers.buffer as ArrayBuffer, numbers.byteOffset, numbers.length);
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  const [here, there] = [wordsOf(a), wordsOf(b)];
  if (here.length !== there.length) return false;
  for (let at = 0; at < here.length; at++) if (here[at] !== there[at]) return false;
  return true;
}

/** Large arrays of v86 lie on words, and are whole ones. */
function wordsOf({ buffer, byteOffset, length, BYTES_PER_ELEMENT }: Uint8Array): Int32Array {
  return new Int32Array(buffer as ArrayBuffer, byteOffset, (length * BYTES_PER_ELEMENT) >>> 2);
}

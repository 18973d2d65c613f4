import { type Device, type LiveCpu, serialPorts } from './live-internals.ts';
import { PortWatch } from './port-watch.ts';
import { Processor } from './processor-state.ts';
import { ScreenMemory } from './screen-memory.ts';
import { own, type Saved, share } from './shared-copy.ts';

/**
 * Everything of a machine but its RAM: processor, firmware's answer, and the devices in the order of `names`, as
 * v86 lists each. Numbers, text, lists, maps and arrays of numbers; images share what did not change between them.
 */
export type DeviceState = readonly Saved[];

/** v86's devices in the order in which it restores them. */
const names = [
  'virtio_9p',
  'rtc',
  'dma',
  'acpi',
  'vga',
  'ps2',
  'uart0',
  'fdc',
  'ide',
  'pci',
  'pit',
  'net',
  'sb16',
  'uart1',
  'uart2',
  'uart3',
  'virtio_console',
  'virtio_net',
  'virtio_balloon',
  'vmware',
  'parallel0',
  'parallel1',
] as const;
type Name = (typeof names)[number];

/** In what a device lists: times of the host's clock, ms; a list of them is moved as a whole. */
const hostTimes: Partial<Record<Name, readonly number[]>> = { rtc: [2, 3, 4, 5, 13], pit: [7] };

/** Nothing of these changes before the guest speaks to them, which none of ours does once it has booted. */
const silent: ReadonlySet<Name> = new Set([
  'dma',
  'vga',
  'fdc',
  'ide',
  'pci',
  'net',
  'sb16',
  'parallel0',
  'parallel1',
]);

/** Saves and restores what a machine is beside its RAM. */
export class Devices {
  readonly #cpu: LiveCpu;
  readonly #processor: Processor;
  readonly #screen: ScreenMemory;
  readonly #ports: PortWatch;
  readonly #devices: readonly { readonly name: Name; readonly device: Device | undefined }[];
  /** What was last saved or put back of each. */
  #last: readonly Saved[];

  constructor(cpu: LiveCpu) {
    this.#cpu = cpu;
    this.#processor = new Processor(cpu);
    this.#screen = new ScreenMemory(cpu);
    this.#devices = names.map((name) => ({ name, device: deviceOf(cpu, name) }));
    this.#last = names.map(() => undefined);
    const { primary, secondary } = (cpu.devices.ide ?? {}) as { primary?: object; secondary?: object };
    const watched = this.#devices.flatMap(({ name, device }) =>
      device && silent.has(name) ? [[device, name === 'ide' ? [primary, secondary] : []] as const] : [],
    );
    this.#ports = new PortWatch(cpu, new Map(watched));
  }

  /** Copies the state of processor and devices; what did not change since the last copy is shared with it. */
  save(): DeviceState {
    this.#last = this.#present();
    return [this.#processor.save(), [...this.#cpu.fw_value], ...this.#last];
  }

  /**
   * Puts a state back, `pausedMs` after it was saved: timers go on from where they stood. RAM has to be
   * there already. Devices that are as they were are left alone. Of a state that another thread has saved,
   * `pausedEpochMs` is told as well: the same by the clock that tells the date.
   */
  restore(
    [processor, firmware, ...saved]: DeviceState,
    { pausedMs, pausedEpochMs = pausedMs }: { pausedMs: number; pausedEpochMs?: number },
  ): void {
    const present = this.#present();
    for (const [at, { name, device }] of this.#devices.entries()) {
      const times = hostTimes[name];
      if (!device || (saved[at] === present[at] && !times)) continue;
      const keep = (numbers: Uint8Array) =>
        name === 'vga' ? this.#screen.kept(numbers, present[at]) : undefined;
      const state = own(saved[at], keep) as unknown[];
      for (const time of times ?? []) state[time] = moved(state[time], name === 'rtc' ? pausedEpochMs : pausedMs);
      device.set_state(state);
      if (name === 'vga') this.#screen.replaced();
    }
    this.#last = saved;
    this.#cpu.fw_value = [...(firmware as number[])];
    this.#processor.restore(processor as Uint8Array);
  }

  /** The devices as they are. */
  #present(): readonly Saved[] {
    const hasChanged = (live: Uint8Array) => this.#screen.hasChanged(live);
    const present = this.#devices.map(({ name, device }, at) => {
      const last = this.#last[at];
      if (!device || (last !== undefined && this.#isSilent(name, device))) return last;
      return share(device, last, hasChanged);
    });
    this.#screen.saved();
    return present;
  }

  #isSilent(name: Name, device: Device): boolean {
    if (!silent.has(name) || this.#ports.isTouched(device)) return false;
    return name !== 'vga' || !this.#screen.isTouched;
  }
}

/** The device with what it does not list itself: a serial port, the bytes that wait to be read. */
function deviceOf(cpu: LiveCpu, name: Name): Device | undefined {
  const device = cpu.devices[name];
  const port = serialPorts(cpu)[name];
  if (!port) return device;
  return {
    get_state: () => [port, port.input],
    set_state: ([state, input]) => {
      port.set_state(state as unknown[]);
      port.input = input as number[];
    },
  };
}

<<<<<<< HEAD
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
=======
function moved(time: unknown, byMs: number): unknown {
  if (typeof time === 'number') return time && time + byMs;
  return (time as Float64Array).map((start) => start + byMs);
>>>>>>> main
}

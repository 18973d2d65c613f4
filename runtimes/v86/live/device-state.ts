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

/** These may go on by themselves once the guest has spoken to them, which none of ours does after it has booted. */
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

/** These change only while the guest speaks to them: nobody types or points. */
const passive: ReadonlySet<Name> = new Set(['ps2', 'vmware']);

/** How long ago a state was saved. */
export interface Since {
  /** By the clock of this thread, ms. */
  readonly pausedMs: number;
  /** Of a state that another thread has saved: the same by the clock that tells the date. */
  readonly pausedEpochMs?: number;
}

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
    const watched = this.#devices.flatMap(({ name, device }) => {
      const parts = name === 'ide' ? [primary, secondary] : [];
      return device && (silent.has(name) || passive.has(name)) ? [[device, parts] as const] : [];
    });
    this.#ports = new PortWatch(cpu, new Map(watched));
  }

  /** Copies the state of processor and devices; what did not change since the last copy is shared with it. */
  save(): DeviceState {
    this.#remember(this.#devices.map((_, at) => (this.#isAsItWas(at) ? this.#last[at] : this.#copy(at))));
    this.#screen.saved();
    return [this.#processor.save(), [...this.#cpu.fw_value], ...this.#last];
  }

  /**
   * Puts a state back, which may be made of the present one: timers go on from where they stood. RAM has to be there
   * already. Devices that are known to be as they were are left alone.
   */
  restore(state: DeviceState | ((present: DeviceState) => DeviceState), since: Since): void {
    const [processor, firmware, ...saved] = typeof state === 'function' ? state(this.save()) : state;
    for (const [at, { name, device }] of this.#devices.entries()) {
      if (!device || (saved[at] === this.#last[at] && this.#isAsItWas(at))) continue;
      const present = name === 'vga' && this.#last[at] ? this.#copy(at) : undefined;
      if (present && present === saved[at]) continue;
      const keep = (numbers: Uint8Array) => (present ? this.#screen.kept(numbers, present) : undefined);
      put(device, { name, state: own(saved[at], keep), since });
      if (name === 'vga') this.#screen.replaced();
    }
    this.#remember(saved);
    this.#cpu.fw_value = [...(firmware as number[])];
    this.#processor.restore(processor as Uint8Array);
  }

  /** All devices are as these say now. */
  #remember(devices: readonly Saved[]): void {
    this.#last = devices;
    for (const { name, device } of this.#devices) if (device && passive.has(name)) this.#ports.forget(device);
  }

  /** The state of a device; what did not change since the last copy is shared with it. */
  #copy(at: number): Saved {
    return share(this.#devices[at]?.device, this.#last[at], (live) => this.#screen.hasChanged(live));
  }

  /** Whether it is known, without a look at it, that a device is as it was last saved or put back. */
  #isAsItWas(at: number): boolean {
    const { name, device } = this.#devices[at] as { name: Name; device: Device | undefined };
    if (!device) return true;
    if (this.#last[at] === undefined || this.#ports.isTouched(device)) return false;
    return passive.has(name) || (silent.has(name) && !(name === 'vga' && this.#screen.isTouched));
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

/** The state becomes the device's own. */
function put(device: Device, { name, state, since }: { name: Name; state: unknown; since: Since }): void {
  const { pausedMs, pausedEpochMs = pausedMs } = since;
  const list = state as unknown[];
  for (const time of hostTimes[name] ?? [])
    list[time] = moved(list[time], name === 'rtc' ? pausedEpochMs : pausedMs);
  device.set_state(list);
}

function moved(time: unknown, byMs: number): unknown {
  if (typeof time === 'number') return time && time + byMs;
  return (time as Float64Array).map((start) => start + byMs);
}

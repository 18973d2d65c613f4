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

/** How long ago a state was saved. */
export interface Since {
  /** By the clock of this thread, ms. */
  readonly pausedMs: number;
  /** Of a state that another thread has saved: the same by the clock that tells the date. */
  readonly pausedEpochMs?: number;
}

/** Puts a machine of which nothing is known at a state, as `Devices.restore` does. */
export function putDevices(cpu: LiveCpu, [processor, firmware, ...saved]: DeviceState, since: Since): void {
  for (const [at, name] of names.entries()) {
    const device = deviceOf(cpu, name);
    if (device) put(device, { name, state: own(saved[at], () => undefined), since });
  }
  cpu.fw_value = [...(firmware as number[])];
  new Processor(cpu).restore(processor as Uint8Array);
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
    const watched = this.#devices.flatMap(({ name, device }) =>
      device && silent.has(name) ? [[device, name === 'ide' ? [primary, secondary] : []] as const] : [],
    );
    this.#ports = new PortWatch(cpu, new Map(watched));
  }

  /** Copies the state of processor and devices; what did not change since the last copy is shared with it. */
  save(): DeviceState {
    this.#last = this.#present();
    return this.#with(this.#last);
  }

  /**
   * Puts a state back, which may be made of the present one: timers go on from where they stood. RAM has to be there
   * already. Devices that are as they were are left alone.
   */
  restore(state: DeviceState | ((present: DeviceState) => DeviceState), since: Since): void {
    const present = this.#present();
    const [processor, firmware, ...saved] = typeof state === 'function' ? state(this.#with(present)) : state;
    for (const [at, { name, device }] of this.#devices.entries()) {
      if (!device || (saved[at] === present[at] && !hostTimes[name])) continue;
      const keep = (numbers: Uint8Array) =>
        name === 'vga' ? this.#screen.kept(numbers, present[at]) : undefined;
      put(device, { name, state: own(saved[at], keep), since });
      if (name === 'vga') this.#screen.replaced();
    }
    this.#last = saved;
    this.#cpu.fw_value = [...(firmware as number[])];
    this.#processor.restore(processor as Uint8Array);
  }

  #with(devices: readonly Saved[]): DeviceState {
    return [this.#processor.save(), [...this.#cpu.fw_value], ...devices];
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

import type { V86 } from 'v86';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Devices } from '../../../runtimes/v86/live/device-state.ts';
import { GuestRam } from '../../../runtimes/v86/live/guest-ram.ts';
import { type LiveCpu, liveCpu } from '../../../runtimes/v86/live/live-internals.ts';
import { readGuestParts } from './open-guest.ts';
import { openPlainMachine } from './plain-machine.ts';

let emulator: V86;
let cpu: LiveCpu;
beforeEach(async () => {
  emulator = await openPlainMachine(await readGuestParts());
  cpu = liveCpu(emulator);
});
afterEach(() => emulator.destroy());

/** The two ways back: v86's own, and ours. Each saves now, and resolves to what restores. */
const ways = {
  v86: async () => {
    const state = await emulator.save_state();
    return () => emulator.restore_state(state);
  },
  ours: async () => {
    const devices = new Devices(cpu);
    const [state, savedAtMs] = [devices.save(), performance.now()];
    return async () => devices.restore(state, { pausedMs: performance.now() - savedAtMs });
  },
};

/** Lets the guest run for so long. */
async function runFor(ms: number): Promise<void> {
  await emulator.run();
  await new Promise((resolve) => setTimeout(resolve, ms));
  await emulator.stop();
}

/** Registers in the memory of v86's module (`src/rust/cpu/global_pointers.rs`). */
const registers = { counter: 960, lastResult: 112, fpuStatus: 1040, mxcsr: 824 };
const word = (address: number) => new Uint32Array(cpu.wasm_memory.buffer, address, 1);

/** The guest's time-stamp counter. */
function counter(): bigint {
  cpu.store_current_tsc();
  return new BigUint64Array(cpu.wasm_memory.buffer, registers.counter, 1)[0] ?? 0n;
}

/** Moves it by so many steps, which is an offset from the host's clock that v86 keeps. */
function moveCounter(by: bigint): void {
  setCounter(counter());
  setCounter(counter() + by);
}

function setCounter(value: bigint): void {
  cpu.set_tsc(Number(value & 0xffff_ffffn), Number(value >> 32n));
}

/** Devices of v86, as far as they are looked at. */
interface LookedAt {
  readonly uart0: { input: number[] };
  readonly rtc: { next_interrupt: number };
  readonly virtio_9p: { tag_bufchain: Map<number, object> };
  readonly vga: {
    vga_memory_write(address: number, value: number): void;
    vga_memory_read(address: number): number;
  };
}
const devices = () => cpu.devices as unknown as LookedAt;

/** When the timer's first counter was loaded, by the host's clock. */
function timerStartMs(): number {
  const { pit } = cpu.devices as unknown as { pit: { counter_start_time: Float64Array } };
  return pit.counter_start_time[0] ?? Number.NaN;
}

describe('traps of v86 0.5.462 when it goes back in place', () => {
  test.each([
    ['v86', false],
    ['ours', true],
  ] as const)('the counter of time stands where it stood: %s (%s)', async (way, isRight) => {
    moveCounter(2n ** 33n); // As a restore before this one has done.
    const [saved, startMs] = [counter(), performance.now()];
    const restore = await ways[way]();
    const savedMs = performance.now() - startMs;
    await runFor(200);
    const restoredMs = performance.now();
    await restore();
    const off = Number(counter() - saved);
    // A million of its steps are a millisecond.
    const passed = (savedMs + performance.now() - restoredMs + 1) * 1e6;
    expect(off >= 0 && off <= passed).toBe(isRight);
  });

  test.each([
    ['v86', false],
    ['ours', true],
  ] as const)('registers are put back into the WebAssembly: %s (%s)', async (way, isRight) => {
    await (await ways[way]())(); // After v86's own, these are elsewhere.
    const places = [registers.lastResult, registers.fpuStatus, registers.mxcsr];
    for (const place of places) word(place)[0] = 0x1f80;
    const restore = await ways[way]();
    for (const place of places) word(place)[0] = 0x1fa0;
    await restore();
    const expected = isRight ? 0x1f80 : 0x1fa0;
    expect(places.map((place) => word(place)[0])).toEqual([expected, expected, expected]);
  });

  test.each([
    ['v86', false],
    ['ours', true],
  ] as const)('the timer goes on from where it stood: %s (%s)', async (way, isRight) => {
    const [elapsedMs, startMs] = [performance.now() - timerStartMs(), performance.now()];
    const restore = await ways[way]();
    const savedMs = performance.now() - startMs;
    await runFor(200);
    const restoredMs = performance.now();
    await restore();
    const offMs = performance.now() - timerStartMs() - elapsedMs;
    const passedMs = savedMs + performance.now() - restoredMs + 1;
    expect(offMs > -1 && offMs <= passedMs).toBe(isRight);
  });

  test.each([
    ['v86', false],
    ['ours', true],
  ] as const)('an alarm of the clock comes as late as it would have: %s (%s)', async (way, isRight) => {
    devices().rtc.next_interrupt = Date.now() + 10_000;
    const startMs = Date.now();
    const restore = await ways[way]();
    const savedMs = Date.now() - startMs;
    await new Promise((resolve) => setTimeout(resolve, 200));
    const restoringMs = Date.now();
    await restore();
    const leftMs = devices().rtc.next_interrupt - Date.now();
    const passedMs = savedMs + Date.now() - restoringMs + 2;
    expect(leftMs > 10_000 - passedMs - 2 && leftMs <= 10_002).toBe(isRight);
  });

  test.each([
    ['v86', false],
    ['ours', true],
  ] as const)('bytes that a serial line has brought still wait: %s (%s)', async (way, isRight) => {
    emulator.serial0_send('then');
    const restore = await ways[way]();
    devices().uart0.input.length = 0;
    emulator.serial0_send('now');
    await restore();
    const input = String.fromCharCode(...devices().uart0.input);
    expect(input === 'then').toBe(isRight);
  });

  test('a file request under way can be answered, where v86 cannot save at all', async () => {
    const [request, { virtio_9p: files }] = [{}, devices()];
    files.tag_bufchain.set(7, request);
    await expect(ways.v86()).rejects.toThrow(TypeError);
    const restore = await ways.ours();
    files.tag_bufchain.clear();
    await restore();
    expect(files.tag_bufchain.get(7)).toBe(request);
  });

  test('memory that grows leaves no view behind', () => {
    const [ram, saving] = [new GuestRam(cpu), new Devices(cpu)];
    const view = ram.bytes;
    ram.bytes[4096] = 1;
    const state = saving.save();
    word(registers.mxcsr)[0] = 0x1fa0;
    (cpu.wasm_memory as WebAssembly.Memory).grow(1);
    expect(view.length).toBe(0);
    expect(ram.bytes[4096]).toBe(1);
    saving.restore(state, { pausedMs: 0 });
    expect(word(registers.mxcsr)[0]).toBe(0x1f80);
    expect(saving.save().slice(1)).toEqual(state.slice(1));
  });
});

describe('B-4 devices as they were', () => {
  test('what did not change is kept once, but for the processor', () => {
    const saving = new Devices(cpu);
    const [first, second] = [saving.save(), saving.save()];
    const same = first.filter((state, at) => typeof state === 'object' && state === second[at]);
    expect(same.length).toBeGreaterThan(10);
    expect(second.slice(1)).toEqual(first.slice(1));
  });

  const inPort = (port: number) => {
    const { read8, device } = cpu.io.ports[port] ?? {};
    return read8?.call(device, port);
  };
  const outPort = (port: number, value: number) => {
    const { write8, device } = cpu.io.ports[port] ?? {};
    write8?.call(device, value);
  };

  test('a device that only answers is put back each time it was spoken to', () => {
    const saving = new Devices(cpu);
    /** The command byte of the keyboard's controller. */
    const setCommand = (value: number) => {
      outPort(0x64, 0x60);
      outPort(0x60, value);
    };
    const command = () => {
      outPort(0x64, 0x20);
      return inPort(0x60);
    };
    const withCommand = (value: number) => {
      setCommand(value);
      return { image: saving.save(), value };
    };
    const [first, second, third] = [withCommand(0x40), withCommand(0x44), withCommand(0x40)];
    for (const { image, value } of [third, second, first]) {
      saving.restore(image, { pausedMs: 0 });
      expect(command()).toBe(value);
    }
    setCommand(second.value);
    saving.restore(first.image, { pausedMs: 0 });
    expect(command()).toBe(first.value);
  });

  test('a device that was left alone for long is put back once it was spoken to', () => {
    const saving = new Devices(cpu);
    const before = saving.save();
    // The index of the screen's CRT controller.
    const index = inPort(0x3d4) ?? 0;
    outPort(0x3d4, index ^ 3);
    const after = saving.save();
    expect(after).not.toEqual(before);
    saving.restore(before, { pausedMs: 0 });
    expect(inPort(0x3d4)).toBe(index);
    saving.restore(after, { pausedMs: 0 });
    expect(inPort(0x3d4)).toBe(index ^ 3);
  });

  test('what was drawn is drawn again', () => {
    const saving = new Devices(cpu);
    const { vga } = devices();
    vga.vga_memory_write(0xb8000, 0x41);
    const image = saving.save();
    vga.vga_memory_write(0xb8000, 0x42);
    const drawn = vga.vga_memory_read(0xb8000);
    saving.restore(image, { pausedMs: 0 });
    expect([drawn, vga.vga_memory_read(0xb8000)]).toEqual([0x42, 0x41]);
  });

  test('a machine takes what another has saved', async () => {
    const state = new Devices(cpu).save();
    await using other = await openPlainMachine(await readGuestParts()).then((machine) => ({
      machine,
      [Symbol.asyncDispose]: () => machine.destroy(),
    }));
    const otherCpu = liveCpu(other.machine);
    const taking = new Devices(otherCpu);
    otherCpu.fw_value = [1, 2, 3];
    taking.restore(state, { pausedMs: 0 });
    expect(taking.save().slice(1)).toEqual(state.slice(1));
  });
});

import type { V86 } from 'v86';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Devices } from '../../../web/runtimes/v86/live/device-state.ts';
import { type LiveCpu, liveCpu } from '../../../web/runtimes/v86/live/live-internals.ts';
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

/** The guest's time-stamp counter. */
function counter(): bigint {
  cpu.store_current_tsc();
  return (BigInt(cpu.current_tsc[1] ?? 0) << 32n) | BigInt(cpu.current_tsc[0] ?? 0);
}

/** Moves it by so many steps, which is an offset from the host's clock that v86 keeps. */
function moveCounter(by: bigint): void {
  cpu.store_current_tsc();
  cpu.set_tsc(cpu.current_tsc[0] ?? 0, cpu.current_tsc[1] ?? 0);
  const moved = counter() + by;
  cpu.set_tsc(Number(moved & 0xffff_ffffn), Number(moved >> 32n));
}

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
  ] as const)('registers are those of the WebAssembly: %s (%s)', async (way, isRight) => {
    const restore = await ways[way]();
    await restore();
    const { last_result, fpu_status_word, mxcsr } = cpu;
    const places = [last_result, fpu_status_word, mxcsr].map(
      (view) => view.buffer === cpu.wasm_memory.buffer,
    );
    expect(places).toEqual([isRight, isRight, isRight]);
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
});

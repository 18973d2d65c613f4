import { pageBytes } from '../../../../wasm/pages/page-kernels.ts';
import type { Emulator } from '../emulator.ts';
import { putDevices } from '../live/device-state.ts';
import { GuestRam } from '../live/guest-ram.ts';
import { liveCpu } from '../live/live-internals.ts';
import { receiveDevices } from './handed-devices.ts';
import type { StartMemory } from './load-memory.ts';
import { unpackRam } from './packed-ram.ts';
import type { FirstPages } from './seal-memory.ts';

/** Below this a machine that was not put at a state has the BIOS. */
const lowMemoryBytes = 0x100000;

/**
 * Puts an emulator that stands still at a memory image: one that was put at the image's golden state, or
 * that nothing was done to. @throws RangeError or TypeError where v86 does not take its devices
 */
export function putAt(emulator: Emulator, { image, pages, places }: StartMemory): void {
  const cpu = liveCpu(emulator.v86);
  const { bytes } = new GuestRam(cpu);
  if (!emulator.isRestored) bytes.fill(0, 0, lowMemoryBytes);
  for (const [page, content] of pages) bytes.set(content, page * pageBytes);
  const since = {
    pausedMs: performance.now() - image.clockMs,
    pausedEpochMs: Date.now() - image.takenAtMs,
  };
  if (places) putDevices(cpu, image.devices, since);
  else emulator.devices.restore(receiveDevices(image.devices, emulator.devices.save()), since);
  cpu.full_clear_tlb();
}

/** What is stored of the RAM that a machine began to run with, for the first image that is sealed of it. */
export function firstPages(emulator: Emulator, from: StartMemory | undefined): FirstPages {
  const restored = emulator.takeRestored();
  const golden = restored ? unpackRam(restored) : new Map<number, Uint8Array>();
  const stored = from?.places ? from.pages : new Map<number, Uint8Array>();
  return {
    page: (page) => stored.get(page) ?? golden.get(page),
    places: from?.places ?? new Map(),
    numbers: new Set([...golden.keys(), ...stored.keys()]),
  };
}

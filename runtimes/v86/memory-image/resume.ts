import { pageBytes } from '../../../wasm/pages/page-kernels.ts';
import type { Emulator } from '../emulator.ts';
import { GuestRam } from '../live/guest-ram.ts';
import { noPages, type PageContents } from '../live/lazy-ram.ts';
import { liveCpu } from '../live/live-internals.ts';
import type { StartMemory } from './load-memory.ts';
import type { FirstPages } from './seal-memory.ts';

/** Below this a machine that was not put at a state has the BIOS. */
const lowMemoryBytes = 0x100000;

/** Puts RAM there as a memory image has it: over that of the image's golden state, or of a machine that nothing was done to. */
export function putRam(emulator: Emulator, pages: PageContents): void {
  const { bytes } = new GuestRam(liveCpu(emulator.v86));
  if (!emulator.isRestored) bytes.fill(0, 0, lowMemoryBytes);
  for (const page of pages.keys()) bytes.set(pages.get(page) ?? zeros, page * pageBytes);
  emulator.pages?.note(pages.keys());
}

/**
 * Puts everything but RAM there as it was in an image. The emulator stands still.
 * @throws RangeError or TypeError where v86 does not take its devices
 */
export function putMachine(emulator: Emulator, { image, devices }: StartMemory): void {
  const since = {
    pausedMs: performance.now() - image.clockMs,
    pausedEpochMs: Date.now() - image.takenAtMs,
  };
  emulator.devices.restore(devices ?? image.devices, since);
  liveCpu(emulator.v86).full_clear_tlb();
}

/** What is in RAM after both were put there, `over` last. */
export function overlaid(under: PageContents, over: PageContents): PageContents {
  return {
    keys: () => new Set([...under.keys(), ...over.keys()]).values(),
    get: (page) => over.get(page) ?? under.get(page),
  };
}

/** What is stored of the RAM that a machine began to run with, for the first image that is sealed of it. */
export function firstPages(emulator: Emulator, from: StartMemory | undefined): FirstPages {
  const stored = from?.places ? from.pages : noPages;
  const restored = emulator.takeRestored();
  const { keys, get } = overlaid(restored ?? noPages, stored);
  const letGo = () => restored?.letGo();
  return { page: get, places: from?.places ?? new Map(), numbers: [...keys()], letGo };
}

const zeros = new Uint8Array(pageBytes);

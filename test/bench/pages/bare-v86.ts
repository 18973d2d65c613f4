// The other side of `live_reload_ratio`: v86 alone, made as this page loads, with nothing to run.
import { V86 } from 'v86';
import { firmware } from './firmware.ts';
import { v86Wasm } from './v86-wasm.ts';

declare global {
  /** Milliseconds from the start of the navigation until v86 says that it is loaded. */
  var bareV86Ms: Promise<number>;
}

const memoryBytes = 128 * 1024 * 1024;

const emulator = new V86({
  wasm_path: v86Wasm.href,
  memory_size: memoryBytes,
  bios: { url: firmware.bios },
  vga_bios: { url: firmware.vgaBios },
  autostart: false,
} as ConstructorParameters<typeof V86>[0]);
globalThis.bareV86Ms = new Promise((resolve) =>
  emulator.add_listener('emulator-loaded', () => resolve(performance.now())),
);

import { V86 } from 'v86';
import { compileV86 } from '../../../images/golden/node-v86.ts';
import type { GuestParts } from './open-guest.ts';

/** v86 as it is, with the golden state, standing still; the caller's to destroy. */
export async function openPlainMachine({ memoryMiB, bios, vgaBios, state }: GuestParts): Promise<V86> {
  const emulator = new V86({
    wasm_fn: await compileV86(),
    memory_size: memoryMiB * 1024 * 1024,
    vga_memory_size: 1024 * 1024,
    bios: { buffer: bios },
    vga_bios: { buffer: vgaBios },
    filesystem: { handle9p: () => undefined },
    virtio_console: { type: 'none' },
    disable_speaker: true,
    acpi: false,
    autostart: false,
  } as ConstructorParameters<typeof V86>[0]);
  await new Promise<void>((resolve) => emulator.add_listener('emulator-loaded', () => resolve()));
  await emulator.restore_state(state);
  return emulator;
}

// The other side of `fork_ratio`: a machine of v86 as it is, made and put at the golden state.
import { V86 } from 'v86';
import { machineManifest } from '../../../protocol/image-manifest.ts';
import { HttpAssets } from '../../../web/worker/assets/http-assets.ts';
import { answerWith } from './ask.ts';
import { v86Wasm } from './v86-wasm.ts';

const read = readParts();
read.catch(() => undefined); // Told to who asks.

async function readParts() {
  const assets = new HttpAssets(new URL('../images/', location.href));
  const manifest = machineManifest((await assets.manifest({ name: 'debian' })).manifest);
  if (!manifest.golden) throw new RangeError('The image has no golden state');
  return {
    memoryMiB: manifest.memoryMiB,
    bios: await assets.content(manifest.bios),
    vgaBios: await assets.content(manifest.vgaBios),
    state: await assets.content(manifest.golden),
    module: await WebAssembly.compileStreaming(fetch(v86Wasm)),
  };
}

/** Milliseconds until `run()` has resolved, upon which the guest's first instruction is next. What is read and compiled was before. */
answerWith(async (): Promise<number> => {
  const { memoryMiB, bios, vgaBios, state, module } = await read;
  const start = performance.now();
  const emulator = new V86({
    wasm_fn: async (imports: WebAssembly.Imports) => (await WebAssembly.instantiate(module, imports)).exports,
    memory_size: memoryMiB * 1024 * 1024,
    vga_memory_size: 1024 * 1024,
    bios: { buffer: bios },
    vga_bios: { buffer: vgaBios },
    filesystem: { handle9p: () => undefined },
    virtio_console: { type: 'none' },
    disable_speaker: true,
    disable_keyboard: true,
    disable_mouse: true,
    acpi: false,
    fastboot: true,
    autostart: false,
  } as ConstructorParameters<typeof V86>[0]);
  await new Promise<void>((resolve) => emulator.add_listener('emulator-loaded', () => resolve()));
  await emulator.restore_state(state);
  await emulator.run();
  const tookMs = performance.now() - start;
  await emulator.destroy();
  return tookMs;
});

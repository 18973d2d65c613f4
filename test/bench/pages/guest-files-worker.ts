import { V86 } from 'v86';
import { machineManifest } from '../../../protocol/image-manifest.ts';
import { rootMount } from '../../../runtimes/v86/root-mount.ts';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import { NinePServer } from '../../../tree/ninep/ninep-server.ts';
import { HttpAssets } from '../../../web/worker/assets/http-assets.ts';
import { answerWith } from './ask.ts';
import { coldImage } from './cold-image.ts';
import { guestInitramfs } from './guest-initramfs.ts';
import { v86Wasm } from './v86-wasm.ts';

/** What answers the guest's 9P messages: v86's own file system in memory, or our server over a live tree. */
export type FileSystem = 'built-in' | 'ours';
export type FilesTest = 'small' | 'bulk';
/** Milliseconds of the guest's clock by phase. */
export type PhaseTimes = Readonly<Record<string, number>>;
export type GuestRequest =
  | { readonly type: 'start'; readonly fileSystem: FileSystem }
  | { readonly type: 'round'; readonly test: FilesTest };

const site = new URL('../', location.href);
const memoryMiB = 128;
/** As the product starts its guests; the last one is for guest/files.c. */
const kernelArguments = [
  'console=ttyS0',
  'quiet',
  'tsc=reliable',
  'mitigations=off',
  'random.trust_cpu=on',
  'init_on_free=1',
  'rdinit=/init',
  `bench.mount=${rootMount.options}`,
].join(' ');

let emulator: V86 | undefined;
let line = '';
let heard = Promise.withResolvers<PhaseTimes>();

answerWith(async (request: GuestRequest) => {
  if (request.type === 'start') {
    emulator = await start(request.fileSystem);
  } else {
    heard = Promise.withResolvers();
    emulator?.serial0_send(`${request.test}\n`);
  }
  return heard.promise;
});

async function start(fileSystem: FileSystem): Promise<V86> {
  const assets = new HttpAssets(new URL('images/', site));
  const manifest = machineManifest((await assets.manifest({ name: coldImage })).manifest);
  const initramfs = await (await fetch(new URL(guestInitramfs, site))).arrayBuffer();
  const module = await WebAssembly.compileStreaming(fetch(v86Wasm));
  const server = new NinePServer(new LiveTree());
  const started = new V86({
    wasm_fn: async (imports: WebAssembly.Imports) => (await WebAssembly.instantiate(module, imports)).exports,
    memory_size: memoryMiB * 1024 * 1024,
    bios: { buffer: await assets.content(manifest.bios) },
    vga_bios: { buffer: await assets.content(manifest.vgaBios) },
    bzimage: { buffer: await assets.content(manifest.kernel) },
    initrd: { buffer: initramfs },
    cmdline: kernelArguments,
    filesystem: fileSystem === 'ours' ? { handle9p: (message, reply) => reply(server.handle(message)) } : {},
    disable_speaker: true,
    disable_keyboard: true,
    disable_mouse: true,
    acpi: false,
    fastboot: true,
    autostart: true,
  } as ConstructorParameters<typeof V86>[0]);
  started.add_listener('serial0-output-byte', hear);
  return started;
}

/** The guest says one line of JSON when it is ready and after each round; the rest is echo. */
function hear(byte: number): void {
  const character = String.fromCharCode(byte);
  if (character !== '\n') {
    line += character;
    return;
  }
  const said = line.trim();
  line = '';
  if (said.startsWith('{')) heard.resolve(JSON.parse(said) as PhaseTimes);
  else if (said.startsWith('failed')) heard.reject(new Error(`The guest: ${said}`));
}

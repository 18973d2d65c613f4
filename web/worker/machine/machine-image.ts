import { SandboxError } from '../../../protocol/errors.ts';
import { type GoldenSession, parseGoldenSession } from '../../../protocol/golden-session.ts';
import {
  type ImageAsset,
  type MachineManifest,
  machineManifest,
  visitorBytes,
} from '../../../protocol/image-manifest.ts';
import { ImageSource } from '../../../protocol/image-source.ts';
import type { Progress } from '../../../protocol/sandbox/progress.ts';
import { Emulator, type EmulatorParts } from '../../../runtimes/v86/emulator.ts';
import type { ModuleMarks } from '../../../runtimes/v86/live/page-states.ts';
import { PrecopiedMachine } from '../../../runtimes/v86/memory-image/precopied-machine.ts';
import type { SavedState } from '../../../runtimes/v86/memory-image/saved-state.ts';
import type { MachineStart } from '../../../runtimes/v86/v86-machine.ts';
import { loadTree } from '../../../tree/objects/load-tree.ts';
import type { SealedTree } from '../../../tree/objects/sealed-tree.ts';
import type { ImageDownload } from '../assets/image-download.ts';
import { openKernels } from '../assets/open-kernels.ts';
import { warmUpFork } from '../warm-up-fork.ts';
import type { MachineParts } from './guest-machine.ts';
import { memoryOrigin } from './memory-origin.ts';
import { timeline } from './timeline.ts';

export interface MachineImageOptions {
  /** v86.wasm, being compiled. */
  readonly wasm: Promise<WebAssembly.Module>;
  /** Where its guest leaves marks, if it does: only such a machine can be rewound. */
  readonly marks?: ModuleMarks | undefined;
  readonly onProgress: (progress: Progress) => void;
}

/** An image, loaded: its objects, and what a machine of it starts from. */
export interface MachineImage {
  readonly manifest: MachineManifest;
  readonly digest: string;
  /** All that a start reads came from what an earlier one kept. */
  readonly isKept: boolean;
  readonly source: ImageSource;
  /** Fetches what the first commands read. */
  prefetch(): Promise<void>;
  /** Parts for a machine with `memoryMiB` of RAM; only the image's own size starts from the golden snapshot. */
  parts(memoryMiB: number): Promise<MachineParts>;
  /**
   * Makes the machine that the first of such parts will start, and puts it at the golden state; nothing where those
   * boot. Loads the image's tree, too. @throws version-mismatch
   */
  warmUp(memoryMiB: number): Promise<void>;
  /** What can be put ahead into that machine, as long as nobody has taken it. */
  readonly ahead: PrecopiedMachine | undefined;
  /** Lets go of a machine that was made so and that nobody has taken. */
  dropSpare(): Promise<void>;
  /** The tree, if such a machine of this size is there. */
  readyTree(memoryMiB: number): SealedTree | undefined;
}

/**
 * Loads an image, telling the bytes as they arrive. The golden state may still be on its way when
 * this resolves: the tree can be loaded meanwhile.
 * @throws asset-unavailable, version-mismatch, corrupt-object, unsupported (an image for hosts)
 */
export async function loadMachineImage(
  assets: ImageDownload,
  options: MachineImageOptions,
): Promise<MachineImage> {
  const startedMs = performance.now();
  let stage: Progress['stage'] = 'download';
  let totalBytes = 0;
  let doneBytes = assets.receivedBytes;
  const tell = () => {
    const elapsedMs = performance.now() - startedMs;
    options.onProgress({ stage, doneBytes, totalBytes: Math.max(totalBytes, doneBytes), elapsedMs });
  };
  assets.onWait = (text) =>
    options.onProgress({
      stage,
      doneBytes: 0,
      totalBytes: 0,
      elapsedMs: performance.now() - startedMs,
      text,
    });
  if (assets.waitsFor !== undefined) assets.onWait(assets.waitsFor);
  assets.onBytes = (bytes) => {
    if (stage !== 'download') return; // What comes later is not waited for.
    doneBytes += bytes;
    tell();
  };
  const { manifest: found, digest, ids, directories } = await assets.found;
  const manifest = machineManifest(found);
  totalBytes = visitorBytes(manifest);
  if (!assets.isKept) tell(); // All of it may have arrived by now.
  const { golden } = manifest;
  let arriving = golden && assets.state(golden);
  const goldenSettled = arriving?.then(
    () => undefined,
    () => undefined, // Its failure is told to the machine that needs it.
  );
  // It is large, and mostly one machine's: another one's is read anew.
  const takeState = async (asset: ImageAsset): Promise<SavedState> => {
    const state = arriving ?? assets.state(asset);
    arriving = undefined;
    return state;
  };
  const session = manifest.golden && loadSession(manifest.golden.session, assets);
  session?.catch(() => undefined);
  const [source, bios, vgaBios] = await Promise.all([
    ImageSource.open(manifest, assets, { ids, directories }),
    assets.content(manifest.bios),
    assets.content(manifest.vgaBios),
  ]);
  const module = await options.wasm.catch((cause) => {
    throw new SandboxError('asset-unavailable', 'Cannot load the emulator (v86.wasm)', { cause });
  });
  const arrived = (async () => {
    await goldenSettled;
    stage = 'restore';
    tell();
  })();
  const emulatorParts = (memoryMiB: number): EmulatorParts => ({
    instantiate: async (imports) =>
      (await WebAssembly.instantiate(module, imports as WebAssembly.Imports)).exports,
    bios,
    vgaBios,
    memoryMiB,
  });
  let spare: Emulator | undefined;
  let tree: SealedTree | undefined;
  let ahead: PrecopiedMachine | undefined;
  const takeAhead = () => {
    const taken = ahead;
    ahead = undefined;
    return taken;
  };
  const takeSpare = () => {
    const taken = spare;
    spare = undefined;
    return taken;
  };
  return {
    manifest,
    digest,
    get isKept() {
      return assets.isKept;
    },
    source,
    prefetch: () => source.prefetch(manifest.chunkPacks.slice(0, 1)),
    parts: async (memoryMiB) => ({
      ...emulatorParts(memoryMiB),
      marks: options.marks,
      origin: memoryOrigin(manifest, { image: digest, memoryMiB }),
      openKernels,
      takeAhead,
      hostname: manifest.hostname,
      session: memoryMiB === manifest.memoryMiB ? await session : undefined,
      start:
        golden && memoryMiB === manifest.memoryMiB
          ? { type: 'restore', state: () => takeState(golden), takeSpare }
          : await coldStart(manifest, { assets, arrived }),
    }),
    warmUp: async (memoryMiB) => {
      if (!golden || memoryMiB !== manifest.memoryMiB) return;
      const [emulator, state] = await Promise.all([
        Emulator.open(emulatorParts(memoryMiB)),
        takeState(golden),
      ]);
      try {
        await emulator.restore(state);
        if (options.marks) emulator.watch(options.marks, () => emulator.restored?.keys() ?? []);
        tree = loadTree(source, manifest.tree, { known: source.directories }).sealed;
        if (session) await warmUpFork(emulator, { tree, source, session: await session });
      } catch (error) {
        await emulator[Symbol.asyncDispose]();
        throw error;
      }
      spare = emulator;
      ahead = new PrecopiedMachine(emulator);
      performance.mark(timeline.ready);
    },
    get ahead() {
      return ahead;
    },
    dropSpare: async () => takeSpare()?.[Symbol.asyncDispose](),
    readyTree: (memoryMiB) => (spare && memoryMiB === manifest.memoryMiB ? tree : undefined),
  };
}

async function loadSession(asset: ImageAsset, assets: ImageDownload): Promise<GoldenSession> {
  return parseGoldenSession(new TextDecoder().decode(await assets.content(asset)));
}

async function coldStart(
  manifest: MachineManifest,
  { assets, arrived }: { assets: ImageDownload; arrived: Promise<void> },
): Promise<MachineStart> {
  const [kernel, initramfs] = await Promise.all([
    assets.content(manifest.kernel),
    assets.content(manifest.initramfs),
    arrived,
  ]);
  return { type: 'boot', kernel, initramfs };
}

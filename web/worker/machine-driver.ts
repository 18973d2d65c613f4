import { assertRunsInTab } from '../../protocol/architecture.ts';
import { defaultImage } from '../../protocol/sandbox/backend.ts';
import type { StorageInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { ModuleMarks } from '../../runtimes/v86/live/page-states.ts';
import { tabResources } from '../../sandbox/backend/resources.ts';
import type { ImageDriver } from '../../sandbox/backend/runtime-driver.ts';
import type { ImageDownloads } from './assets/image-downloads.ts';
import { openImageToExport } from './assets/image-to-export.ts';
import { loadMachineImage, type MachineImage } from './machine/machine-image.ts';
import { keepOffline } from './offline-assets.ts';
import type { SpareImage } from './spare-image.ts';
import { startSandbox } from './start-sandbox.ts';

export interface MachineDriverOptions {
  readonly downloads: ImageDownloads;
  /** The folder with the site's images. */
  readonly images: URL;
  /** Resolves to v86.wasm, compiled; the first call begins that. */
  readonly wasm: () => Promise<WebAssembly.Module>;
  readonly marks: ModuleMarks | undefined;
  /** What may be at hand already. */
  readonly spare: SpareImage;
  readonly quota: () => Promise<Pick<StorageInfo, 'usageBytes' | 'quotaBytes' | 'persisted'>>;
  /** Whether what ran when a sandbox was closed goes on, and all of its image is kept for use without network. */
  readonly keeps: boolean;
}

/** Runs machines in this worker. */
export function machineDriver(options: MachineDriverOptions): ImageDriver<MachineImage> {
  const { downloads, images: folder, wasm, marks, spare, quota, keeps } = options;
  return {
    runtime: 'v86',
    resources: tabResources,
    images: {
      assertRuns: async (architecture) => assertRunsInTab(architecture),
      load: async (which, onProgress) =>
        (await spare.take(which)) ??
        loadMachineImage(await downloads.take(which), { wasm: wasm(), marks, onProgress }),
      takeReady: (which) => spare.takeReady(which),
      putAhead: (which, memory) => spare.putAhead(which, memory),
      openToExport: async (digest) => openImageToExport(await downloads.take({ digest })),
    },
    start: async (info, { image, ...parts }) =>
      startSandbox(info, {
        ...parts,
        source: image.source,
        machine: await image.parts(info.memoryMiB),
        host: { quota },
        keepsRunning: keeps,
        prefetch: () => image.prefetch(),
        keepOffline: async (onProgress, signal) => {
          if (keeps) await keepOffline(image, { folder, defaultImage, onProgress, signal });
        },
      }),
  };
}

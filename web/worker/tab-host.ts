import { assertRunsInTab } from '../../protocol/architecture.ts';
import { defaultImage } from '../../protocol/sandbox/backend.ts';
import type { StorageInfo } from '../../protocol/sandbox/sandbox-info.ts';
import { shellDriver } from '../../runtimes/shell/shell-driver.ts';
import type { ModuleMarks } from '../../runtimes/v86/live/page-states.ts';
import { tabResources } from '../../sandbox/backend/resources.ts';
import type { ImageDriver } from '../../sandbox/backend/runtime-driver.ts';
import type { SandboxHost } from '../../sandbox/backend/sandbox-host.ts';
import { deleteSandboxStore, openSandboxStore } from '../stores/open-sandbox-store.ts';
import type { ImageDownloads } from './assets/image-downloads.ts';
import { openImageToExport } from './assets/image-to-export.ts';
import { loadMachineImage, type MachineImage } from './machine/machine-image.ts';
import { keepOffline } from './offline-assets.ts';
import { startProgramWorker } from './programs/start-program-worker.ts';
import type { SandboxRegistry } from './sandbox-registry.ts';
import type { SpareImage } from './spare-image.ts';
import { startSandbox } from './start-sandbox.ts';

export interface TabHostOptions {
  readonly registry: SandboxRegistry;
  readonly downloads: ImageDownloads;
  /** The folder with the site's images. */
  readonly images: URL;
  /** Resolves to v86.wasm, compiled; the first call begins that. */
  readonly wasm: () => Promise<WebAssembly.Module>;
  readonly marks: ModuleMarks | undefined;
  /** What may be at hand already. */
  readonly spare: SpareImage;
}

/** Sandboxes of this origin, run by this worker. The page gives each open sandbox a worker of its own. */
export function tabHost(options: TabHostOptions): SandboxHost {
  return {
    drivers: [v86Driver(options), shellDriver({ quota: storageQuota, startWorker: startProgramWorker })],
    records: options.registry,
    openStore: openSandboxStore,
    deleteStore: deleteSandboxStore,
  };
}

function v86Driver({
  downloads,
  images: folder,
  wasm,
  marks,
  spare,
}: TabHostOptions): ImageDriver<MachineImage> {
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
        host: { quota: storageQuota },
        keepsRunning: true,
        prefetch: () => image.prefetch(),
        keepOffline: (onProgress, signal) => keepOffline(image, { folder, defaultImage, onProgress, signal }),
      }),
  };
}

async function storageQuota(): Promise<Pick<StorageInfo, 'usageBytes' | 'quotaBytes' | 'persisted'>> {
  const [{ usage = 0, quota = 0 }, persisted] = await Promise.all([
    navigator.storage.estimate(),
    navigator.storage.persisted(),
  ]);
  return { usageBytes: usage, quotaBytes: quota, persisted };
}

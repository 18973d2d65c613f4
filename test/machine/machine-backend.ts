import { FileAssets } from '../../host/images/file-assets.ts';
import { machineManifest } from '../../protocol/image-manifest.ts';
import { ImageSource } from '../../protocol/image-source.ts';
import { LocalBackend } from '../../sandbox/backend/local-backend.ts';
import { MemoryHost } from '../../sandbox/backend/memory-host.ts';
import { tabResources } from '../../sandbox/backend/resources.ts';
import type { ImageDriver } from '../../sandbox/backend/runtime-driver.ts';
import { startSandbox } from '../../web/worker/start-sandbox.ts';
import { builtImage } from '../fixtures/built-image.ts';
import { goldenMachine } from './golden-machine.ts';

/** The tab's machines in this process, of a built image; their sandboxes are kept in memory. */
export async function machineBackend(profile = 'debian'): Promise<LocalBackend> {
  const built = await builtImage(profile);
  const manifest = machineManifest(built.manifest);
  const assets = new FileAssets(built.folder);
  const source = await ImageSource.open(manifest, assets);
  const image = { manifest, source, digest: manifest.tree };
  const driver: ImageDriver = {
    runtime: 'v86',
    resources: tabResources,
    images: {
      assertRuns: async () => {},
      load: async () => image,
      openToExport: async () => source,
    },
    start: async (info, { image: _, ...parts }) => {
      const { machine, state } = await goldenMachine(manifest, assets);
      return startSandbox(info, {
        ...parts,
        source,
        machine: { ...machine, start: { type: 'restore', state: { bytes: state } } },
        host: { quota: async () => ({ usageBytes: 0, quotaBytes: 0, persisted: false }) },
        keepsRunning: false,
        prefetch: async () => undefined,
        keepOffline: async () => undefined,
      });
    },
  };
  return new LocalBackend(new MemoryHost(driver));
}

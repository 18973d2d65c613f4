import { FileAssets } from '../../host/images/file-assets.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { machineManifest } from '../../protocol/image-manifest.ts';
import { ImageSource } from '../../protocol/image-source.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { HandedMemory } from '../../runtimes/v86/memory-image/handed-memory.ts';
import type { HandedMachine } from '../../sandbox/memory/handed-machine.ts';
import { PrecopiedFiles } from '../../sandbox/memory/precopied-files.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { loadTree } from '../../tree/objects/load-tree.ts';
import { MemoryStore } from '../../tree/objects/memory-store.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import { startSandbox } from '../../web/worker/start-sandbox.ts';
import { builtImage } from '../fixtures/built-image.ts';
import { goldenMachine } from './golden-machine.ts';
import { openSpare } from './open-spare.ts';

/** The objects of a built image. */
export async function imageObjects(profile = 'debian'): Promise<ImageSource> {
  const built = await builtImage(profile);
  return ImageSource.open(machineManifest(built.manifest), new FileAssets(built.folder));
}

/** A sandbox of the tab's own code in this process: v86 in Node, a built image, any store. */
export async function openSandbox(
  options: {
    profile?: string;
    store?: SandboxStore;
    readOnly?: boolean;
    diskMiB?: number;
    keepsRunning?: boolean;
    handed?: HandedMachine;
    /** What came ahead of that, into a machine that stands ready. */
    ahead?: readonly HandedMachine[];
  } = {},
): Promise<Sandbox> {
  const { profile = 'debian', store = new MemoryStore(), readOnly = false, diskMiB = 1024 } = options;
  const built = await builtImage(profile);
  const manifest = machineManifest(built.manifest);
  const assets = new FileAssets(built.folder);
  const { machine, state } = await goldenMachine(manifest, assets);
  const info: SandboxInfo = {
    id: crypto.randomUUID(),
    name: 'test',
    image: profile,
    imageDigest: manifest.tree,
    memoryMiB: manifest.memoryMiB,
    diskMiB,
    runtime: 'v86',
    createdAtMs: Date.now(),
  };
  const source = await ImageSource.open(manifest, assets);
  const files = new PrecopiedFiles();
  const ready = options.ahead && (await openSpare(machine, state));
  for (const one of options.ahead ?? []) {
    ready?.ahead.put(one.memory as HandedMemory);
    await files.put(one, { image: source, known: loadTree(source, manifest.tree).sealed });
  }
  const connection = await startSandbox(info, {
    store,
    readOnly,
    keepsRunning: options.keepsRunning,
    handed: options.handed && files.complete(options.handed),
    source,
    machine: {
      ...machine,
      takeAhead: () => ready?.ahead,
      start: { type: 'restore', state: { bytes: state }, takeSpare: () => ready?.spare },
    },
    backend: {
      fork: () => Promise.reject(new SandboxError('unsupported', 'A store in memory cannot be forked')),
      openOther: () => Promise.reject(new SandboxError('unsupported', 'A store in memory is the only one')),
    },
    prefetch: async () => undefined,
    keepOffline: async () => undefined,
    host: { quota: async () => ({ usageBytes: 0, quotaBytes: 0, persisted: false }) },
  });
  return Sandbox.open(info.id, {
    backend: {
      open: async () => connection,
      create: async () => connection,
      connect: async () => connection,
      exportTar: async () => connection.transfer.exportTar({ at: 'now' }),
      openImport: () => Promise.reject(new SandboxError('unsupported', 'A store in memory takes nothing in')),
      list: async () => [info],
      delete: () => connection.close(),
    },
  });
}

import { abortable, orAborted, throwIfAborted } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type {
  ArchiveReader,
  CreateOptions,
  OpenOptions,
  Progress,
  SandboxBackend,
  SandboxConnection,
  SandboxInfo,
  StartOptions,
  StorageInfo,
} from '../../protocol/sandbox.ts';
import { openStoredArchive } from '../../sandbox/stored-archive.ts';
import { exportSnapshot } from '../../tree/history/export-snapshot.ts';
import { History } from '../../tree/history/history.ts';
import { importObjects } from '../../tree/history/import-objects.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import { type LoadedTree, loadTree } from '../../tree/objects/load-tree.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import { deleteSandboxStore, openSandboxStore } from '../stores/open-sandbox-store.ts';
import { defaultImage } from '../transports/worker-start.ts';
import type { WhichImage } from './image-download.ts';
import type { ImageDownloads } from './image-downloads.ts';
import { openImageToExport } from './image-to-export.ts';
import { loadMachineImage, type MachineImage } from './machine-image.ts';
import { keepOffline } from './offline-assets.ts';
import type { SandboxRegistry } from './sandbox-registry.ts';
import { startSandbox } from './start-sandbox.ts';

const loadImage = 'Cannot load the image';

type OnProgress = (progress: Progress) => void;

export interface TabBackendOptions {
  readonly registry: SandboxRegistry;
  readonly downloads: ImageDownloads;
  /** The folder with the site's images. */
  readonly images: URL;
  /** v86.wasm, being compiled. */
  readonly wasm: Promise<WebAssembly.Module>;
}

/** Sandboxes of this origin, run by this worker. The page gives each open sandbox a worker of its own. */
export class TabBackend implements SandboxBackend {
  readonly #options: TabBackendOptions;

  constructor(options: TabBackendOptions) {
    this.#options = options;
  }

  create(options: CreateOptions & StartOptions, onProgress: OnProgress): Promise<SandboxConnection> {
    const { signal } = options;
    const create = () =>
      options.from ? this.#createFrom(options, onProgress) : this.#createNew(options, onProgress);
    return abortable(create, { signal, what: 'Cannot create a sandbox' });
  }

  open(id: string, options: OpenOptions & StartOptions, onProgress: OnProgress): Promise<SandboxConnection> {
    const { signal } = options;
    return abortable(() => this.#open(id, options, onProgress), { signal, what: 'Cannot open the sandbox' });
  }

  async #createNew(
    options: CreateOptions & StartOptions,
    onProgress: OnProgress,
  ): Promise<SandboxConnection> {
    const { signal } = options;
    const loading = this.#loadImage({ name: options.image ?? defaultImage }, onProgress);
    // While the store is made, which is mostly waiting.
    const loadingTree = loading.then(({ source, manifest }) => loadTree(source, manifest.tree));
    loadingTree.catch(() => undefined); // What cannot be stored is told first.
    const id = crypto.randomUUID();
    return this.#make(id, async (store) => {
      const image = await orAborted(loading, { signal, what: loadImage });
      const imageTree = await loadingTree;
      const info = newInfo(id, options, image);
      return this.#start(info, { store, image, imageTree, onProgress, isNew: true, signal });
    });
  }

  async #open(
    id: string,
    { readOnly = false, signal }: OpenOptions & StartOptions,
    onProgress: OnProgress,
  ): Promise<SandboxConnection> {
    const info = await this.#options.registry.get(id);
    const loading = this.#loadImage({ digest: info.imageDigest }, onProgress);
    loading.catch(() => undefined); // A sandbox that another tab holds is told first, and at once.
    const store = await openSandboxStore(id, { readOnly });
    try {
      const image = await orAborted(loading, { signal, what: loadImage });
      return await this.#start(info, { store, image, onProgress, readOnly, signal });
    } catch (cause) {
      await store.close();
      throw namingSandbox(id, cause);
    }
  }

  async exportTar(id: string, options: { readonly at?: SnapshotId } = {}): Promise<ArchiveReader> {
    const { downloads, registry } = this.#options;
    const { imageDigest } = await registry.get(id);
    const store = await openSandboxStore(id, { readOnly: true });
    try {
      const image = openImageToExport(await downloads.take({ digest: imageDigest }));
      return await openStoredArchive(store, { ...options, image });
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  async connect(id: string): Promise<SandboxConnection> {
    throw new SandboxError('unsupported', 'A worker serves its own page only', {
      details: { id, feature: 'connect' },
    });
  }

  list(): Promise<SandboxInfo[]> {
    this.#clearUnfinished().catch((error) => console.info('Unfinished sandboxes are left:', error));
    return this.#options.registry.list();
  }

  async delete(id: string): Promise<void> {
    await deleteSandboxStore(id);
    await this.#options.registry.remove(id);
  }

  async #createFrom(
    options: CreateOptions & StartOptions,
    onProgress: OnProgress,
  ): Promise<SandboxConnection> {
    const { signal } = options;
    if (!options.from) throw new SandboxError('invalid-argument', 'No snapshot to start from');
    const { sandbox, snapshot } = options.from;
    const parent = await this.#options.registry.get(sandbox);
    const store = await openSandboxStore(sandbox, { readOnly: true });
    let info: SandboxInfo;
    try {
      const loading = this.#loadImage({ digest: parent.imageDigest }, onProgress);
      const image = await orAborted(loading, { signal, what: loadImage });
      info = await this.#fork({ info: parent, store, image }, snapshot, options);
    } finally {
      await store.close();
    }
    try {
      return await this.#open(info.id, signal ? { signal } : {}, onProgress);
    } catch (error) {
      await this.delete(info.id).catch(() => undefined); // What is to be told is why it did not start.
      throw error;
    }
  }

  /** Makes the store of a new sandbox and does `work`, which adds its entry; a failure leaves nothing behind. */
  async #make<T>(id: string, work: (store: SandboxStore) => Promise<T>): Promise<T> {
    await this.#options.registry.begin(id);
    const store = await openSandboxStore(id, { create: true });
    try {
      return await work(store);
    } catch (error) {
      await store.close();
      await deleteSandboxStore(id);
      await this.#options.registry.forgetUnfinished(id);
      throw error;
    }
  }

  /** Sandboxes whose page went while it made them. One that is still being made is locked, and stays. */
  async #clearUnfinished(): Promise<void> {
    const { registry } = this.#options;
    for (const id of await registry.unfinished(Date.now() - limits.unfinishedSandboxMs)) {
      await deleteSandboxStore(id);
      await registry.forgetUnfinished(id);
    }
  }

  async #start(
    info: SandboxInfo,
    context: {
      store: SandboxStore;
      image: MachineImage;
      imageTree?: LoadedTree | undefined;
      onProgress: OnProgress;
      isNew?: boolean;
      readOnly?: boolean;
      signal: AbortSignal | undefined;
    },
  ): Promise<SandboxConnection> {
    const { store, image, imageTree, onProgress, isNew = false, readOnly = false, signal } = context;
    const startedMs = performance.now();
    const tell = (stage: Progress['stage']) =>
      onProgress({ stage, doneBytes: 0, totalBytes: 0, elapsedMs: performance.now() - startedMs });
    const sandbox = await startSandbox(info, {
      store,
      source: image.source,
      imageTree,
      readOnly,
      signal,
      machine: await image.parts(info.memoryMiB),
      fork: (id, options) => this.#fork({ info, store, image }, id, options),
      quota: storageQuota,
      prefetch: () => image.prefetch(),
      keepOffline: (onProgress, signal) =>
        keepOffline(image, { folder: this.#options.images, defaultImage, onProgress, signal }),
    });
    try {
      throwIfAborted(signal, 'Cannot start the sandbox');
      if (isNew) await this.#options.registry.add(info);
    } catch (error) {
      await sandbox.close();
      throw error;
    }
    tell('ready');
    return sandbox;
  }

  /** A new sandbox with one snapshot of another and the objects it needs; the image's stay where they are. */
  async #fork(
    parent: { info: SandboxInfo; store: SandboxStore; image: MachineImage },
    id: SnapshotId,
    options: Pick<CreateOptions, 'name' | 'memoryMiB' | 'diskMiB'>,
  ): Promise<SandboxInfo> {
    const { info, store, image } = parent;
    const isElsewhere = (object: Parameters<ImageHas>[0]) => image.source.has(object);
    const child: SandboxInfo = {
      ...info,
      id: crypto.randomUUID(),
      name: options.name ?? `${info.name} fork`,
      memoryMiB: within('memoryMiB', options.memoryMiB ?? info.memoryMiB, limits.memoryMiB),
      diskMiB: within('diskMiB', options.diskMiB ?? info.diskMiB, limits.diskMiB),
      createdAtMs: Date.now(),
    };
    const record = History.open(store, { isElsewhere }).get(id);
    return this.#make(child.id, async (target) => {
      await importObjects(exportSnapshot(store, id, { exclude: isElsewhere }), target, { isElsewhere });
      await History.open(target, { isElsewhere }).add(record, { objects: [] });
      await this.#options.registry.add(child);
      await target.close();
      return child;
    });
  }

  async #loadImage(which: WhichImage, onProgress: OnProgress): Promise<MachineImage> {
    const { downloads, wasm } = this.#options;
    try {
      return await loadMachineImage(await downloads.take(which), { wasm, onProgress });
    } catch (cause) {
      const error = SandboxError.from(cause);
      if (!('digest' in which) || error.code !== 'asset-unavailable') throw error;
      const why = 'this site no longer has the image it was made from, or there is no network';
      throw new SandboxError('asset-unavailable', `Cannot start the sandbox: ${why}`, {
        cause: error,
        details: { ...which },
      });
    }
  }
}

type ImageHas = MachineImage['source']['has'];

function newInfo(id: string, options: CreateOptions, image: MachineImage): SandboxInfo {
  const { manifest, digest } = image;
  return {
    id,
    name: options.name ?? manifest.name,
    image: manifest.name,
    imageDigest: digest,
    memoryMiB: within('memoryMiB', options.memoryMiB ?? manifest.memoryMiB, limits.memoryMiB),
    diskMiB: within('diskMiB', options.diskMiB ?? limits.diskMiB.usual, limits.diskMiB),
    runtime: 'v86',
    createdAtMs: Date.now(),
  };
}

/** The same error, which says whose files may still be exported. */
function namingSandbox(id: string, cause: unknown): SandboxError {
  const { code, message, details } = SandboxError.from(cause);
  return new SandboxError(code, message, { details: { ...details, sandbox: id }, cause });
}

async function storageQuota(): Promise<Pick<StorageInfo, 'usageBytes' | 'quotaBytes' | 'persisted'>> {
  const [{ usage = 0, quota = 0 }, persisted] = await Promise.all([
    navigator.storage.estimate(),
    navigator.storage.persisted(),
  ]);
  return { usageBytes: usage, quotaBytes: quota, persisted };
}

function within(name: string, value: number, { min, max }: { min: number; max: number }): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new SandboxError('invalid-argument', `${name} is ${value}, not an integer from ${min} to ${max}`, {
    details: { name, min, max },
  });
}

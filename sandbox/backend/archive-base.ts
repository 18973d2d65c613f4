import { type ArchiveImport, defaultImage } from '../../protocol/sandbox/backend.ts';
import { History } from '../../tree/history/history.ts';
import { loadTree } from '../../tree/objects/load-tree.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import type { SealedTree } from '../../tree/objects/sealed-tree.ts';
import { diskCoverage, noChanges } from '../capture/disk-coverage.ts';
import { assertDiskHolds } from './assert-disk-holds.ts';
import { firstFiles, storeFirstFiles } from './first-files.ts';
import { filesBase, type LoadedBase, loadImageBase } from './load-base.ts';
import type { FilesDriver, LoadedImage, RuntimeDriver } from './runtime-driver.ts';

/** What the files of an archive are laid over. */
export interface ArchiveBase {
  readonly base: LoadedBase;
  /**
   * Makes it the first snapshot in a new store, and HEAD; durable when it resolves, to the tree.
   * @throws invalid-argument for too small a disk; storage-full
   */
  store(store: SandboxStore, options: { readonly diskMiB: number }): Promise<SealedTree>;
}

/** @throws asset-unavailable, version-mismatch, corrupt-object, unsupported */
export async function loadArchiveBase(
  driver: RuntimeDriver,
  { image = defaultImage }: ArchiveImport,
): Promise<ArchiveBase> {
  if (!driver.images) {
    return {
      base: filesBase(driver),
      store: (store, { diskMiB }) => storeFiles(store, { driver, diskMiB }),
    };
  }
  const base = await loadImageBase(driver, { name: image }, () => {});
  return { base, store: (store, { diskMiB }) => storeImage(store, { image: base.image, diskMiB }) };
}

async function storeFiles(
  store: SandboxStore,
  { driver, diskMiB }: { readonly driver: FilesDriver; readonly diskMiB: number },
): Promise<SealedTree> {
  const files = firstFiles(driver);
  assertDiskHolds(diskMiB, files);
  return storeFirstFiles(store, files);
}

async function storeImage(
  store: SandboxStore,
  {
    image: { manifest, source },
    diskMiB,
  }: {
    readonly image: LoadedImage;
    readonly diskMiB: number;
  },
): Promise<SealedTree> {
  const { sealed } = loadTree(source, manifest.tree, { known: source.directories });
  assertDiskHolds(diskMiB, sealed.snapshot);
  await History.open(store, { isElsewhere: (id) => source.has(id) }).add(
    {
      tree: sealed.id,
      memory: undefined,
      parents: [],
      cause: { type: 'image', image: manifest.name },
      coverage: diskCoverage,
      changes: noChanges,
      takenAtMs: Date.now(),
    },
    { objects: [] },
  );
  return sealed;
}

import { History } from '../../tree/history/history.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import type { TreeSnapshot } from '../../tree/live/tree-snapshot.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import { sealTree } from '../../tree/objects/seal-tree.ts';
import { diskCoverage, noChanges } from '../capture/disk-coverage.ts';
import type { FilesDriver } from './runtime-driver.ts';

/** The files of a new sandbox without an image. */
export function firstFiles(driver: FilesDriver): TreeSnapshot {
  return driver.firstFiles?.() ?? new LiveTree().snapshot();
}

/**
 * Makes them the first snapshot in the store of a new sandbox, and HEAD; durable when it resolves. So the store never
 * lacks them, whatever a later version of the runtime begins with. @throws storage-full
 */
export async function storeFirstFiles(store: SandboxStore, files: TreeSnapshot): Promise<void> {
  const { id: tree, objects } = sealTree(files);
  await History.open(store).add(
    {
      tree,
      memory: undefined,
      parents: [],
      cause: { type: 'image', image: '' },
      coverage: diskCoverage,
      changes: noChanges,
      takenAtMs: Date.now(),
    },
    { objects },
  );
}

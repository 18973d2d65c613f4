import { SandboxError } from '../../protocol/errors.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { History } from '../../tree/history/history.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import type { TreeSnapshot } from '../../tree/live/tree-snapshot.ts';
import { loadTree } from '../../tree/objects/load-tree.ts';
import type { StoredObject } from '../../tree/objects/object-store.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import { sealTree } from '../../tree/objects/seal-tree.ts';
import type { SealedTree } from '../../tree/objects/sealed-tree.ts';
import { diskCoverage, noChanges } from '../capture/disk-coverage.ts';
import type { FilesDriver } from './runtime-driver.ts';

interface StoredFiles {
  readonly tree: SealedTree;
  readonly objects: readonly StoredObject[];
}

/** A runtime begins each of its sandboxes with the same value: its objects are made for the first of them. */
const stored = new WeakMap<TreeSnapshot, StoredFiles>();

/** The files of a new sandbox without an image. */
export function firstFiles(driver: FilesDriver): TreeSnapshot {
  return driver.firstFiles?.() ?? new LiveTree().snapshot();
}

/**
 * Makes them the first snapshot in the store of a new sandbox, and HEAD; durable when it resolves, to their tree. So the
 * store never lacks them, whatever a later version of the runtime begins with. @throws storage-full
 */
export async function storeFirstFiles(store: SandboxStore, files: TreeSnapshot): Promise<SealedTree> {
  const { tree, objects } = storedFiles(files);
  await History.open(store).add(
    {
      tree: tree.id,
      memory: undefined,
      parents: [],
      cause: { type: 'image', image: '' },
      coverage: diskCoverage,
      changes: noChanges,
      takenAtMs: Date.now(),
    },
    { objects },
  );
  return tree;
}

/** The files of a new sandbox as a stored tree, with all of its objects. */
export function storedFiles(files: TreeSnapshot): StoredFiles {
  const known = stored.get(files);
  if (known) return known;
  const { id, objects } = sealTree(files);
  const bytesOf = new Map(objects.map((object) => [object.id, object.bytes]));
  const read = (object: ObjectId): Uint8Array => {
    const bytes = bytesOf.get(object);
    if (bytes) return bytes;
    throw new SandboxError('missing-object', 'The first files of a runtime lack an object');
  };
  const made = { tree: loadTree({ read }, id).sealed, objects };
  stored.set(files, made);
  return made;
}

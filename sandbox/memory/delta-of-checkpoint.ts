import type { TreeSnapshot } from '../../tree/live/tree-snapshot.ts';
import { makeTreeDelta } from '../../tree/objects/apply-tree-delta.ts';
import { storedObject } from '../../tree/objects/hash-object.ts';
import type { StoredObject } from '../../tree/objects/object-store.ts';
import { sealUnlinked } from '../../tree/objects/seal-unlinked.ts';
import type { SealedTree } from '../../tree/objects/sealed-tree.ts';
import { encodeTreeDelta } from '../../tree/objects/tree-delta.ts';

/** The tree delta of a machine's tree, and what it needs beside the objects of the sealed tree. */
export function deltaOfCheckpoint(
  tree: TreeSnapshot,
  { sealed, base }: { readonly sealed: SealedTree; readonly base: SealedTree },
): { readonly delta: StoredObject; readonly objects: readonly StoredObject[] } {
  const removed = sealUnlinked(tree);
  const contentOf = (inode: Parameters<SealedTree['contentOf']>[0]) =>
    removed.contents.get(inode) ?? sealed.contentOf(inode);
  const delta = storedObject(encodeTreeDelta(makeTreeDelta(tree, { base, contentOf })));
  return { delta, objects: removed.objects };
}

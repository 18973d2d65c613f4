import type { ObjectId } from '../content/object-id.ts';
import type { LiveTree } from './live-tree.ts';

/** The stored objects with the content of removed files that are still open; no snapshot may refer to them any more. */
export function unlinkedContent(tree: LiveTree): Set<ObjectId> {
  const ids = new Set<ObjectId>();
  for (const ino of tree.unlinked()) {
    const inode = tree.inode(ino);
    if (inode?.content && inode.content.type !== 'zeros') ids.add(inode.content.id);
    inode?.extents?.forEach(({ id }) => {
      if (id !== undefined) ids.add(id);
    });
  }
  return ids;
}

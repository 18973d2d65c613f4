import { unfoldContent } from '../../tree/content/file-content.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { ContentCache } from '../../tree/live/content-cache.ts';
import type { Ino } from '../../tree/live/file-tree.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { readSealedDirectory } from '../../tree/objects/read-sealed-directory.ts';
import type { TreeEntry } from '../../tree/objects/tree-entry.ts';
import { decodeTreeRoot } from '../../tree/objects/tree-root.ts';

/** The objects of a recording, without its image. */
export interface HeldObjects {
  holds(id: ObjectId): boolean;
  read(id: ObjectId): Uint8Array;
}

/**
 * Of a snapshot's files those that the recording holds itself, which is what was changed: as a tree of their own. What its image
 * has too is left out, but for links and empty files beside what was changed, which hold nothing that would tell.
 * @throws RangeError when an object is not canonical
 */
export function heldFiles(root: ObjectId, objects: HeldObjects): LiveTree {
  const tree = new LiveTree({ content: new ContentCache(objects) });
  // Nothing was changed yet.
  if (!objects.holds(root)) return tree;
  const { entry } = decodeTreeRoot(objects.read(root));
  const fill = (directory: Ino, id: ObjectId): void => {
    for (const child of readSealedDirectory(objects, id).entries) {
      if (child.directory === undefined) addFile(tree, directory, { child, objects });
      else if (objects.holds(child.directory)) fill(add(tree, directory, child), child.directory);
    }
  };
  if (objects.holds(entry.directory)) fill(tree.root, entry.directory);
  return tree;
}

function addFile(
  tree: LiveTree,
  directory: Ino,
  { child, objects }: { readonly child: TreeEntry; readonly objects: HeldObjects },
): void {
  const { content, sizeBytes } = child;
  if (content !== undefined && !isHeld(child, objects)) return;
  const ino = add(tree, directory, child);
  if (ino <= 0) return;
  if (content !== undefined) tree.setContent(ino, { content, sizeBytes });
  tree.setAttributes(ino, { mtime: { seconds: child.mtimeSeconds, nanoseconds: child.mtimeNanoseconds } });
}

/** Whether all of a file's content is there; an edited file may have parts in common with the image. */
function isHeld({ content, sizeBytes }: TreeEntry, objects: HeldObjects): boolean {
  if (content === undefined || content.type === 'zeros') return true;
  if (!objects.holds(content.id)) return false;
  let isWhole = true;
  try {
    unfoldContent(content, { sizeBytes, source: objects }).forEach((extent) => {
      isWhole &&= extent.id === undefined || objects.holds(extent.id);
    });
  } catch {
    return false; // A list of its list is in the image.
  }
  return isWhole;
}

function add(tree: LiveTree, directory: Ino, entry: TreeEntry): Ino {
  const { name, mode, uid, gid, rdev, target } = entry;
  return tree.create(directory, name, { mode, uid, gid, rdev, ...(target === undefined ? {} : { target }) });
}

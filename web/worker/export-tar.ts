import type { LiveTree } from '../../tree/live/live-tree.ts';
import { writeTar } from '../../tree/tar/write-tar.ts';

/** All files of a tree as one tar archive. */
export function exportTar(tree: LiveTree): Uint8Array {
  const parts = [...writeTar(tree)];
  const archive = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    archive.set(part, at);
    at += part.length;
  }
  return archive;
}

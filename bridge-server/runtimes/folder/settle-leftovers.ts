import { rmSync } from 'node:fs';
import type { ByteString } from '../../../tree/content/byte-string.ts';
import type { LiveTree } from '../../../tree/live/live-tree.ts';
import { type AsideKind, asidePattern, moveExclusive } from './aside.ts';
import { hostPath, namesIn, statOf } from './folder-entry.ts';
import { isAsInTree } from './has-bytes.ts';
import type { Intention } from './intention.ts';
import type { OpenFolder } from './open-folder.ts';
import { type AsideFile, discardAside } from './take-back.ts';

interface SettleOptions {
  readonly folder: OpenFolder;
  readonly intention: Intention;
  /** The files before the write, and those that it was to bring. */
  readonly from: LiveTree;
  readonly to: LiveTree;
}

/**
 * Takes away what a writer has left that was ended amid its work. Each path has then what was there before, what was to come there, or
 * what somebody else has written; what was moved aside and is neither is kept beside its path.
 */
export function settleLeftovers({ folder, intention, from, to }: SettleOptions): void {
  const aside: AsideFile[] = [];
  for (const { at, index, kind } of leftovers(folder, intention)) {
    const path = intention.paths[index] ?? '';
    const [where, target] = [folder.at(at), folder.at(path)];
    if (where === undefined) continue;
    // The writer makes files and links: a directory by such a name is somebody else's.
    if (statOf(where)?.isDirectory() && kind === 'new') continue;
    if (kind === 'new') rmSync(hostPath(where), { force: true });
    else if (
      kind === 'back' ||
      target === undefined ||
      statOf(target) !== undefined ||
      !isMoved(where, target)
    ) {
      const tree = kind === 'old' ? from : to;
      aside.push({ at, path, isKnown: (file) => isAsInTree(file, tree, find(tree, path)) });
    }
  }
  discardAside(aside, { folder, id: intention.id });
}

function leftovers(
  folder: OpenFolder,
  { id, holders }: Intention,
): { readonly at: ByteString; readonly index: number; readonly kind: AsideKind }[] {
  return holders.flatMap((holder) => {
    const { at } = folder.directory(holder);
    return (at === undefined ? [] : namesIn(at)).flatMap((name) => {
      const [, by, index, kind] = asidePattern.exec(name) ?? [];
      if (by !== id) return [];
      const below = holder === '' ? name : `${holder}/${name}`;
      return [{ at: below, index: Number(index), kind: kind as AsideKind }];
    });
  });
}

/** Not into a directory that is gone. */
function isMoved(at: ByteString, path: ByteString): boolean {
  try {
    return moveExclusive(at, path);
  } catch {
    return false;
  }
}

function find(tree: LiveTree, path: ByteString): number {
  return path.split('/').reduce((at, name) => tree.lookup(at, name), tree.root);
}

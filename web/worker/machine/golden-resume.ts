import type { GoldenSession } from '../../../protocol/golden-session.ts';
import type { ByteString } from '../../../tree/content/byte-string.ts';
import type { FileTree, Ino } from '../../../tree/live/file-tree.ts';
import { type NinePState, stateOfFids } from '../../../tree/ninep/ninep-state.ts';
import { renumber } from '../../../tree/ninep/renumbering.ts';

/**
 * Where a login shell and the C library look when they start; a shell that has started knows the old
 * answers. Its history it reads anew.
 */
const readAtStart = [
  /^\/etc\//,
  /^\/usr\/(s?bin\/(ba|da)?sh|lib\/)/,
  /^\/home\/user\/(\.(bash(?!_history$)|profile|inputrc|terminfo|local(\/bin|$))|bin(\/|$))/,
  /^\/(home(\/user)?|usr(\/(bin|lib))?|bin|lib|etc)$/,
];

/**
 * Whether the golden shell, which was started on the image's files, is still what a shell started
 * now would be: nothing that it read or holds has changed. Everything else it finds as it is now,
 * since its machine has nothing else cached.
 */
export function canResume(session: GoldenSession, changedPaths: readonly ByteString[]): boolean {
  // In another tree they may have other numbers, and an old image does not say which they had.
  if (changedPaths.length > 0 && session.fids.some(({ ino }) => ino === undefined)) return false;
  const held = new Set(session.fids.map(({ path }) => path));
  return changedPaths.every((path) => !held.has(path) && !readAtStart.some((pattern) => pattern.test(path)));
}

/**
 * The session's fids in `tree`, by their paths; one whose file is not there is left out. The guest goes on knowing those files by
 * the numbers that they had in the image's tree.
 */
export function sessionState(session: GoldenSession, tree: FileTree): NinePState {
  const fids = session.fids.flatMap(({ fid, path, uid, flags, ino: told }) => {
    const ino = find(tree, path);
    return ino === 0 ? [] : [{ fid, ino, uid, flags, told: told ?? ino }];
  });
  return stateOfFids(fids, { messageBytes: session.messageBytes, renumbered: renumber(fids) });
}

/** The inode of a path without symlinks, or 0. */
function find(tree: FileTree, path: ByteString): Ino {
  let ino = tree.root;
  for (const name of path.split('/')) {
    if (name !== '') ino = tree.lookup(ino, name);
    if (ino === 0) return 0;
  }
  return ino;
}

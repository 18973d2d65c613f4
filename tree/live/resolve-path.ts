import type { ByteString } from '../content/byte-string.ts';
import { toByteString } from '../content/byte-string.ts';
import { treeLimits } from '../limits.ts';
import { errno } from './errno.ts';
import { isDirectory, isSymlink } from './file-mode.ts';
import type { FileTree, Ino, Result } from './file-tree.ts';

/** Where a path leads. `ino` is 0 when only the last name is missing: that is where to create it. */
export interface ResolvedPath {
  readonly ino: Ino;
  readonly directory: Ino;
  /** The last name; `''` when the path is the root or ends in `..`. */
  readonly name: ByteString;
}

/**
 * Resolves Unicode text to an inode, following symlinks as if the tree were the whole file system:
 * an absolute target starts at its root and `..` never leaves it. Relative paths start at the root.
 * Answers `-ENOENT`, `-ENOTDIR`, `-ELOOP` after 40 symlinks, or `-ENAMETOOLONG`.
 */
export function resolvePath(
  tree: FileTree,
  path: string,
  options: { readonly followLast?: boolean } = {},
): ResolvedPath | Result {
  return resolveBytes(tree, toByteString(path), options);
}

/** `resolvePath` for a path that is bytes. */
export function resolveBytes(
  tree: FileTree,
  path: ByteString,
  options: { readonly followLast?: boolean } = {},
): ResolvedPath | Result {
  // The names that are left, the next one last: a symlink puts its own on top.
  const left = split(path);
  let at: ResolvedPath = { ino: tree.root, directory: tree.root, name: '' };
  let followed = 0;
  let bytes = path.length;
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (at.ino === 0) return -errno.ENOENT;
    const here = tree.stat(at.ino);
    if (here === undefined) return -errno.ENOENT;
    if (!isDirectory(here.mode)) return -errno.ENOTDIR;
    if (name === '.') continue;
    if (name === '..') {
      at = { ino: here.parent, directory: here.parent, name: '' };
      continue;
    }
    if (name.length > treeLimits.nameBytes) return -errno.ENAMETOOLONG;
    const next: ResolvedPath = { ino: tree.lookup(at.ino, name), directory: at.ino, name };
    const target = next.ino === 0 ? undefined : symlinkTarget(tree, next.ino);
    if (target === undefined || (left.length === 0 && options.followLast === false)) {
      at = next;
      continue;
    }
    followed += 1;
    bytes += target.length;
    if (followed > treeLimits.symlinksFollowed) return -errno.ELOOP;
    if (bytes > treeLimits.walkedBytes) return -errno.ENAMETOOLONG;
    left.push(...split(target));
    if (target.startsWith('/')) at = { ino: tree.root, directory: tree.root, name: '' };
  }
  return at;
}

/** Names in reverse. A slash at the end asks for a directory, as `.` does. */
function split(path: ByteString): ByteString[] {
  const names = path.split('/').filter((name) => name !== '');
  if (path.endsWith('/') && names.length > 0) names.push('.');
  return names.reverse();
}

function symlinkTarget(tree: FileTree, ino: Ino): ByteString | undefined {
  const inode = tree.stat(ino);
  return inode && isSymlink(inode.mode) ? inode.target : undefined;
}

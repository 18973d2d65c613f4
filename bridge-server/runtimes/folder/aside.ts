import {
  lchownSync,
  linkSync,
  lstatSync,
  lutimesSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { type ByteString, readByteString } from '../../../tree/content/byte-string.ts';
import { isErrno } from '../../stores/disk-error.ts';
import { exactTime, hostPath, mtimeOf, statOf } from './folder-entry.ts';

/** What a file of the writer's own is: what is to come to a path, what was there, and what is taken away from there again. */
export type AsideKind = 'new' | 'old' | 'back';

export const asidePattern: RegExp = /^\.coppice-([0-9a-f]{12})-(\d+)-(new|old|back)$/;

/** Of a length that fits wherever other names do. */
export function asideName(id: string, index: number, kind: AsideKind): ByteString {
  return `.coppice-${id}-${index}-${kind}`;
}

/** The directory of a path below the folder; the folder itself is ''. */
export function parentOf(path: ByteString): ByteString {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

export function nameOf(path: ByteString): ByteString {
  return path.slice(path.lastIndexOf('/') + 1);
}

/**
 * Gives what is at `from` the name `to` as well, or instead, unless something is there: then it answers false, and nothing is replaced. On a file system
 * without hard links, a file that comes to be at this instant is replaced.
 */
export function placeExclusive(from: ByteString, to: ByteString): boolean {
  const [source, target] = [hostPath(from), hostPath(to)];
  const stat = lstatSync(source, { bigint: true });
  try {
    if (stat.isSymbolicLink()) {
      symlinkSync(readlinkSync(source, { encoding: 'buffer' }), target);
      if (process.getuid?.() === 0) lchownSync(target, Number(stat.uid), Number(stat.gid));
      const mtime = exactTime(mtimeOf(stat));
      lutimesSync(target, mtime, mtime);
      return true;
    }
    if (!stat.isDirectory()) {
      linkSync(source, target);
      return true;
    }
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false;
    const lacksLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];
    if (!lacksLinks.some((name) => isErrno(error, name))) throw error;
  }
  if (statOf(to) !== undefined) return false;
  renameSync(source, target);
  return true;
}

/** Moves it there, unless something is there. */
export function moveExclusive(from: ByteString, to: ByteString): boolean {
  if (!placeExclusive(from, to)) return false;
  rmSync(hostPath(from), { force: true });
  return true;
}

/** Moves what is at a path to a name of ours; false where nothing is. */
export function moveAway(from: ByteString, to: ByteString): boolean {
  try {
    renameSync(hostPath(from), hostPath(to));
    return true;
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return false;
    throw error;
  }
}

export function targetOf(path: ByteString): ByteString {
  const target = readlinkSync(hostPath(path), { encoding: 'buffer' });
  return readByteString(target, 0, target.length);
}

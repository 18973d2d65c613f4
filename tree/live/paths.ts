import type { ByteString } from '../content/byte-string.ts';
import type { Ino } from './file-tree.ts';
import type { Inode } from './inode.ts';
import type { Link } from './link-list.ts';
import { rootIno } from './tree-snapshot.ts';

/** Anything that finds an inode by number: a live tree's `inode`, a snapshot's `inodes.get`. */
export type InodeLookup = (ino: Ino) => Inode | undefined;

/** All absolute paths of an inode, in no special order; none if it has been removed. */
export function pathsOf(ino: Ino, find: InodeLookup): ByteString[] {
  if (ino === rootIno) return ['/'];
  const inode = find(ino);
  if (inode === undefined || inode.nlink === 0) return [];
  return [inode.link, ...inode.otherLinks]
    .map((link) => pathOfLink(link, find))
    .filter((path) => path !== undefined);
}

/** The absolute path of one name, or `undefined` when a directory above it has been removed. */
export function pathOfLink(link: Link, find: InodeLookup): ByteString | undefined {
  const names: ByteString[] = [link.name];
  for (let at = link.parent; at !== rootIno; ) {
    const directory = find(at);
    if (directory === undefined || directory.nlink === 0) return undefined;
    names.push(directory.link.name);
    at = directory.link.parent;
  }
  return `/${names.reverse().join('/')}`;
}

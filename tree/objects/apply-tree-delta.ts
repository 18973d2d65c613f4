import { nextEpoch } from '../content/epoch.ts';
import type { FileContent } from '../content/file-content.ts';
import { DirectoryMap, directoryChanges, tooManyAlike } from '../live/directory-map.ts';
import { isFile } from '../live/file-mode.ts';
import type { Ino } from '../live/file-tree.ts';
import type { Inode } from '../live/inode.ts';
import type { Link } from '../live/link-list.ts';
import { radixChanges } from '../live/radix-changes.ts';
import type { TreeSnapshot } from '../live/tree-snapshot.ts';
import { entryInode } from './entry-inode.ts';
import { sealSlices } from './seal-tree.ts';
import type { SealedTree } from './sealed-tree.ts';
import type { DeltaInode, TreeDelta } from './tree-delta.ts';

/** The `link` of a removed inode. */
const noLink: Link = { parent: 0, name: '' };

/**
 * The delta between a tree and `base`, which was loaded and not changed since. `contentOf` answers the stored
 * content of every file that differs. Costs what differs.
 */
export function makeTreeDelta(
  snapshot: TreeSnapshot,
  { base, contentOf }: { base: SealedTree; contentOf: (inode: Inode) => FileContent | undefined },
): TreeDelta {
  const { changes } = radixChanges(base.snapshot.inodes, snapshot.inodes);
  return {
    base: base.id,
    // A base of another numbering may have larger ones, which are removed.
    nextIno: Math.max(snapshot.nextIno, base.snapshot.nextIno),
    usedBytes: snapshot.usedBytes,
    usedInodes: snapshot.usedInodes,
    depthBound: snapshot.depthBound,
    changes: changes.map(({ index, before, after }) => ({
      ino: index,
      inode: after && deltaInode(after, { before, content: contentOf(after) }),
    })),
  };
}

/**
 * The sealed tree of a delta and its base. For a delta from elsewhere, the caller must compare the id. Removed
 * files that are open are not in the sealed tree. @throws RangeError or TypeError where the two make no tree
 */
export function applyTreeDelta(delta: TreeDelta, base: SealedTree): SealedTree {
  const epoch = nextEpoch();
  const { nextIno, usedBytes, usedInodes, depthBound } = delta;
  const inodes = base.snapshot.inodes.clone();
  const unlinked = base.snapshot.unlinked.clone();
  const hardLinked = base.snapshot.hardLinked.clone();
  for (const { ino, inode } of delta.changes) {
    const before = inodes.get(ino);
    unlinked.delete(ino, epoch);
    hardLinked.delete(ino, epoch);
    if (!inode) {
      inodes.delete(ino, epoch);
      continue;
    }
    inodes.set(ino, inodeOf(inode, { ino, epoch, before }), epoch);
    if (inode.nlink === 0) unlinked.set(ino, true, epoch);
    if (inode.links.length > 1) hardLinked.set(ino, true, epoch);
  }
  const snapshot = { inodes, unlinked, hardLinked, nextIno, usedBytes, usedInodes, depthBound };
  const slices = sealSlices(snapshot, { previous: base });
  for (let slice = slices.next(); ; slice = slices.next()) if (slice.done) return slice.value.sealed;
}

function deltaInode(
  inode: Inode,
  { before, content }: { before: Inode | undefined; content: FileContent | undefined },
): DeltaInode {
  const { entries, mode, uid, gid, mtimeSeconds, mtimeNanoseconds, rdev, target, xattrs } = inode;
  if (isFile(mode) && !content) throw new TypeError(`The content of file ${inode.ino} is not stored`);
  const changed = entries ? [...directoryChanges(before?.entries ?? new DirectoryMap(), entries)].sort() : [];
  return {
    entry: {
      ...{ name: '', mode, uid, gid, mtimeSeconds, mtimeNanoseconds, rdev, target, xattrs },
      ...{ sizeBytes: inode.fileBytes, content, directory: undefined },
    },
    nlink: inode.nlink,
    links: inode.nlink === 0 ? [] : [inode.link, ...inode.otherLinks],
    version: inode.version,
    atime: { seconds: inode.atimeSeconds, nanoseconds: inode.atimeNanoseconds },
    ctime: { seconds: inode.ctimeSeconds, nanoseconds: inode.ctimeNanoseconds },
    names: changed.map((name) => ({ name, ino: entries?.get(name) ?? 0 })),
  };
}

function inodeOf(
  from: DeltaInode,
  { ino, epoch, before }: { ino: Ino; epoch: number; before: Inode | undefined },
): Inode {
  const [link = noLink, ...others] = from.links;
  const inode = entryInode(from.entry, { ino, epoch, link });
  for (const other of others) inode.addLink(other);
  inode.nlink = from.nlink;
  inode.version = from.version;
  inode.atimeSeconds = from.atime.seconds;
  inode.atimeNanoseconds = from.atime.nanoseconds;
  inode.ctimeSeconds = from.ctime.seconds;
  inode.ctimeNanoseconds = from.ctime.nanoseconds;
  if (!inode.entries) return inode;
  const entries = before?.entries?.clone() ?? new DirectoryMap();
  for (const { name, ino: to } of from.names) {
    if (to === 0) entries.delete(name, epoch);
    else if (!entries.set(name, to, epoch)) throw tooManyAlike();
  }
  inode.entries = entries;
  return inode;
}

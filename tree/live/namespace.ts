import type { ByteString } from '../content/byte-string.ts';
import { treeLimits } from '../limits.ts';
import type { DirectoryMap } from './directory-map.ts';
import { errno } from './errno.ts';
import { isDirectory, isSymlink, isValidMode } from './file-mode.ts';
import type { DirectoryVisitor, Ino, NewInode, Result, Timestamp } from './file-tree.ts';
import type { Inode } from './inode.ts';
import type { InodeTable } from './inode-table.ts';
import { checkName } from './name-rules.ts';
import { rootIno } from './tree-snapshot.ts';

interface Directory {
  readonly inode: Inode;
  readonly entries: DirectoryMap;
}

/** A tree whose directories nest less than this has no path that is too long. */
const shallow = Math.floor(treeLimits.pathBytes / (treeLimits.nameBytes + 1));

/** The names of a live tree: everything that adds, moves or removes directory entries. */
export class Namespace {
  readonly #table: InodeTable;
  readonly #clock: () => Timestamp;
  readonly #totalInodes: number;
  readonly #isRetained: (ino: Ino) => boolean;

  constructor(
    table: InodeTable,
    options: {
      readonly clock: () => Timestamp;
      readonly totalInodes: number;
      readonly isRetained: (ino: Ino) => boolean;
    },
  ) {
    this.#table = table;
    this.#clock = options.clock;
    this.#totalInodes = options.totalInodes;
    this.#isRetained = options.isRetained;
  }

  lookup(directory: Ino, name: ByteString): Ino {
    return this.#table.get(directory)?.entries?.get(name) ?? 0;
  }

  create(directory: Ino, name: ByteString, inode: NewInode): Result {
    const failure = this.#checkNew(directory, name) || checkInode(inode);
    if (failure < 0) return failure;
    if (this.#table.usedInodes >= this.#totalInodes) return -errno.ENOSPC;
    const makesDirectory = isDirectory(inode.mode);
    const depth = makesDirectory ? this.#depth(directory) + 1 : 0;
    if (depth > treeLimits.depth) return -errno.ENAMETOOLONG;

    const holder = this.#own(directory);
    const link = { parent: directory, name };
    const created = this.#table.add({ ...inode, link });
    if (holder === undefined || created === undefined) return -errno.ENOSPC;
    if (!holder.entries.set(name, created.ino, this.#table.epoch)) {
      this.#table.drop(created);
      return -errno.ENOSPC;
    }
    const now = this.#clock();
    created.atimeSeconds = now.seconds;
    created.atimeNanoseconds = now.nanoseconds;
    created.modified(now);
    holder.inode.modified(now);
    if (makesDirectory) holder.inode.nlink += 1;
    this.#table.depthBound = Math.max(this.#table.depthBound, depth);
    return created.ino;
  }

  link(ino: Ino, directory: Ino, name: ByteString): Result {
    const target = this.#table.get(ino);
    if (target === undefined || target.nlink === 0) return -errno.ENOENT;
    if (isDirectory(target.mode)) return -errno.EPERM;
    if (target.nlink >= treeLimits.hardLinks) return -errno.EMLINK;
    const failure = this.#checkNew(directory, name);
    if (failure < 0) return failure;
    // A name takes memory like an inode does, so it counts as one (as in Linux's tmpfs).
    if (this.#table.usedInodes >= this.#totalInodes) return -errno.ENOSPC;
    const holder = this.#own(directory);
    if (!holder?.entries.set(name, ino, this.#table.epoch)) return -errno.ENOSPC;
    const now = this.#clock();
    const inode = this.#table.own(target);
    this.#table.usedInodes += 1;
    inode.nlink += 1;
    inode.addLink({ parent: directory, name });
    inode.changed(now);
    this.#table.noteLinks(inode);
    holder.inode.modified(now);
    return 0;
  }

  unlink(directory: Ino, name: ByteString): Result {
    const inode = this.#child(directory, name);
    if (typeof inode === 'number') return inode;
    if (isDirectory(inode.mode)) return -errno.EISDIR;
    const now = this.#clock();
    this.#removeEntry(directory, name, now);
    this.#removeName(inode, { parent: directory, name, now });
    return 0;
  }

  rmdir(directory: Ino, name: ByteString): Result {
    const inode = this.#child(directory, name);
    if (typeof inode === 'number') return inode;
    if (!inode.entries) return -errno.ENOTDIR;
    if (inode.entries.size > 0) return -errno.ENOTEMPTY;
    const now = this.#clock();
    const holder = this.#removeEntry(directory, name, now);
    if (holder) holder.nlink -= 1;
    this.#removeName(inode, { parent: directory, name, now });
    return 0;
  }

  rename(from: { directory: Ino; name: ByteString }, to: { directory: Ino; name: ByteString }): Result {
    const moved = this.#child(from.directory, from.name);
    if (typeof moved === 'number') return moved;
    const place = this.#checkPlace(to.directory, to.name);
    if (place < 0) return place;
    const replaced = this.#table.get(this.lookup(to.directory, to.name));
    if (replaced === moved) return 0;
    const failure =
      this.#checkMove(moved, { from: from.directory, to: to.directory, name: to.name }) ||
      checkReplace(moved, replaced);
    if (failure < 0) return failure;

    const now = this.#clock();
    const target = this.#own(to.directory);
    // Add first: it is the only step that can fail.
    if (!target?.entries.set(to.name, moved.ino, this.#table.epoch)) return -errno.ENOSPC;
    const source = this.#removeEntry(from.directory, from.name, now);
    target.inode.modified(now);
    if (isDirectory(moved.mode)) {
      if (source) source.nlink -= 1;
      if (!replaced) target.inode.nlink += 1;
    }
    if (replaced) this.#removeName(replaced, { parent: to.directory, name: to.name, now });
    const inode = this.#table.own(moved);
    inode.removeLink({ parent: from.directory, name: from.name });
    inode.addLink({ parent: to.directory, name: to.name });
    inode.changed(now);
    return 0;
  }

  readdir(directory: Ino, cookie: number, visit: DirectoryVisitor): Result {
    const inode = this.#table.get(directory);
    if (inode === undefined) return -errno.ENOENT;
    if (!inode.entries) return -errno.ENOTDIR;
    inode.entries.forEach(cookie, (entry) => visit(entry.name, entry.ino, entry.position + 1));
    return 0;
  }

  /** Forgets a removed inode unless something has it open. */
  dropIfUnused(inode: Inode): void {
    if (inode.nlink === 0 && !this.#isRetained(inode.ino)) this.#table.drop(inode);
  }

  #own(directory: Ino): Directory | undefined {
    const found = this.#table.get(directory);
    const inode = found?.entries && this.#table.own(found);
    return inode?.entries && { inode, entries: inode.entries };
  }

  #child(directory: Ino, name: ByteString): Inode | Result {
    const place = this.#checkPlace(directory, name);
    return place < 0 ? place : (this.#table.get(this.lookup(directory, name)) ?? -errno.ENOENT);
  }

  #checkPlace(directory: Ino, name: ByteString): Result {
    const inode = this.#table.get(directory);
    if (inode === undefined) return -errno.ENOENT;
    return inode.entries ? checkName(name) : -errno.ENOTDIR;
  }

  #checkNew(directory: Ino, name: ByteString): Result {
    const place = this.#checkPlace(directory, name);
    if (place < 0) return place;
    if (this.#table.get(directory)?.nlink === 0) return -errno.ENOENT;
    if (this.lookup(directory, name) !== 0) return -errno.EEXIST;
    return this.#checkRoom(directory, name);
  }

  #checkMove(
    moved: Inode,
    places: { readonly from: Ino; readonly to: Ino; readonly name: ByteString },
  ): Result {
    if (this.#table.get(places.to)?.nlink === 0) return -errno.ENOENT;
    if (!isDirectory(moved.mode)) return this.#checkRoom(places.to, places.name);
    if (places.from === places.to) return this.#checkBelow(moved, places, this.#table.depthBound);
    for (let at = places.to; at !== rootIno; at = this.#table.get(at)?.parent ?? rootIno) {
      if (at === moved.ino) return -errno.EINVAL;
    }
    const depth = this.#depth(places.to) + 1;
    const deeper = depth - (this.#depth(places.from) + 1);
    if (deeper <= 0) return this.#checkBelow(moved, places, this.#table.depthBound);
    // The upper bound suffices for ordinary trees; the subtree is measured only if the bound has grown too large.
    let bound = this.#table.depthBound + deeper;
    if (bound > treeLimits.depth / 4) bound = Math.max(this.#table.depthBound, depth + this.#height(moved));
    if (bound > treeLimits.depth) return -errno.ENAMETOOLONG;
    const failure = this.#checkBelow(moved, places, bound);
    if (failure === 0) this.#table.depthBound = bound;
    return failure;
  }

  /** Levels of directories above this one. */
  #depth(directory: Ino): number {
    let depth = 0;
    for (let at = directory; at !== rootIno; depth++) at = this.#table.get(at)?.parent ?? rootIno;
    return depth;
  }

  /** Whether a path that ends in `name` is short enough: 0, or `-ENAMETOOLONG`. */
  #checkRoom(directory: Ino, name: ByteString): Result {
    if (this.#table.depthBound < shallow) return 0;
    return this.#room(directory) < name.length ? -errno.ENAMETOOLONG : 0;
  }

  /** The same for a directory that moves, and all that is in it; `bound` is how deep the tree is then, at most. */
  #checkBelow(moved: Inode, to: { readonly to: Ino; readonly name: ByteString }, bound: number): Result {
    if (bound < shallow) return 0;
    return this.#fits(moved, this.#room(to.to) - to.name.length) ? 0 : -errno.ENAMETOOLONG;
  }

  /** How long a name in this directory may be by its path. */
  #room(directory: Ino): number {
    let room = treeLimits.pathBytes - 1;
    for (let at = directory; at !== rootIno; ) {
      const inode = this.#table.get(at);
      if (inode === undefined) return room;
      room -= inode.link.name.length + 1;
      at = inode.parent;
    }
    return room;
  }

  /** Whether no path is too long in what leaves `room` bytes after its own. */
  #fits(inode: Inode, room: number): boolean {
    if (room < 0) return false;
    const hasDirectories = inode.nlink > 2;
    if (!inode.entries || (!hasDirectories && room > treeLimits.nameBytes)) return true;
    let fits = true;
    inode.entries.forEach(0, ({ name, ino }) => {
      const child = this.#table.get(ino);
      fits = child === undefined || this.#fits(child, room - 1 - name.length);
      return fits;
    });
    return fits;
  }

  /** Levels of directories below this one. */
  #height(inode: Inode): number {
    let height = 0;
    if (inode.nlink > 2) {
      inode.entries?.forEach(0, (entry) => {
        const child = this.#table.get(entry.ino);
        if (child?.entries) height = Math.max(height, 1 + this.#height(child));
        return true;
      });
    }
    return height;
  }

  #removeEntry(directory: Ino, name: ByteString, now: Timestamp): Inode | undefined {
    const holder = this.#own(directory);
    holder?.entries.delete(name, this.#table.epoch);
    holder?.inode.modified(now);
    return holder?.inode;
  }

  #removeName(shared: Inode, at: { parent: Ino; name: ByteString; now: Timestamp }): void {
    const inode = this.#table.own(shared);
    if (isDirectory(inode.mode)) {
      inode.nlink = 0;
    } else {
      inode.nlink -= 1;
      inode.removeLink(at);
      if (inode.nlink > 0) this.#table.usedInodes -= 1;
    }
    inode.changed(at.now);
    this.#table.noteLinks(inode);
    this.dropIfUnused(inode);
  }
}

function checkInode(inode: NewInode): Result {
  const numbers = [inode.uid, inode.gid, inode.rdev ?? 0];
  if (!isValidMode(inode.mode) || numbers.some((number) => number !== number >>> 0)) return -errno.EINVAL;
  if (!isSymlink(inode.mode)) return 0;
  const target = inode.target ?? '';
  if (target.length > treeLimits.targetBytes) return -errno.ENAMETOOLONG;
  return target === '' || /\0|[^\0-\xff]/.test(target) ? -errno.ENOENT : 0;
}

function checkReplace(moved: Inode, replaced: Inode | undefined): Result {
  if (replaced === undefined) return 0;
  if (isDirectory(moved.mode) && !replaced.entries) return -errno.ENOTDIR;
  if (!isDirectory(moved.mode) && replaced.entries) return -errno.EISDIR;
  return replaced.entries && replaced.entries.size > 0 ? -errno.ENOTEMPTY : 0;
}

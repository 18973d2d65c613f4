import type { ByteString } from '../content/byte-string.ts';
import { noContent } from '../content/content-source.ts';
import { contentChunks, type FileContent } from '../content/file-content.ts';
import { treeLimits } from '../limits.ts';
import { applyAttributes, isAttributeChange } from './attributes.ts';
import { ContentCache } from './content-cache.ts';
import { errno } from './errno.ts';
import { allocatedAfterWrite, holesIn, readFileData, truncateFileData, writeFileData } from './file-data.ts';
import { fileMode, isFile } from './file-mode.ts';
import type {
  AttributeChange,
  DirectoryVisitor,
  FileTree,
  Ino,
  InodeView,
  NewInode,
  Result,
  Timestamp,
} from './file-tree.ts';
import type { Inode } from './inode.ts';
import { allocated } from './inode.ts';
import { InodeTable } from './inode-table.ts';
import { Namespace } from './namespace.ts';
import { radixChanges } from './radix-changes.ts';
import type { TreeSnapshot } from './tree-snapshot.ts';
import { rootIno } from './tree-snapshot.ts';
import { checkXattr, deleteXattr, putXattr, xattrBytesAfter } from './xattrs.ts';

export interface LiveTreeOptions {
  /** Every mutation answers `-EROFS`. */
  readonly readOnly?: boolean;
  /** File content and extended attributes; past it writes answer `-ENOSPC`. Default 1 GiB. */
  readonly totalBytes?: number;
  /** Default 2,000,000. */
  readonly totalInodes?: number;
  /** The wall clock that new times come from. */
  readonly clock?: () => Timestamp;
  /** Loads content that is not in memory. Trees on one source share one cache. */
  readonly content?: ContentCache;
  /** Called at the first mutation, and at the first one after each `rearm`. It must not throw or mutate. */
  readonly onChange?: () => void;
}

/**
 * A file tree in memory whose state is a value: `snapshot` is a pointer copy, `restore` another, and
 * two trees may grow from the same snapshot. Times follow Linux with `noatime`: a read changes nothing.
 */
export class LiveTree implements FileTree {
  readonly root: Ino = rootIno;
  readonly #options: LiveTreeOptions;
  readonly #table: InodeTable = new InodeTable();
  readonly #names: Namespace;
  readonly #content: ContentCache;
  readonly #clock: () => Timestamp;
  readonly #totalBytes: number;
  readonly #totalInodes: number;
  readonly #retained: Map<Ino, number> = new Map();
  #readOnly: boolean;
  #isFull = false;
  #armed = true;

  /** An empty tree: a root directory with mode 0755 that belongs to root. */
  constructor(options: LiveTreeOptions = {}) {
    this.#options = options;
    this.#readOnly = options.readOnly ?? false;
    this.#totalBytes = options.totalBytes ?? 2 ** 30;
    this.#totalInodes = options.totalInodes ?? 2_000_000;
    this.#clock = options.clock ?? systemClock;
    this.#content = options.content ?? new ContentCache(noContent);
    this.#names = new Namespace(this.#table, {
      clock: this.#clock,
      totalInodes: this.#totalInodes,
      isRetained: (ino) => this.#retained.has(ino),
    });
    const directory = { mode: fileMode.directory | 0o755, uid: 0, gid: 0 };
    this.#table.add({ ...directory, link: { parent: rootIno, name: '' } })?.modified(this.#clock());
  }

  /** A new tree that starts as `snapshot`. */
  static from(snapshot: TreeSnapshot, options: LiveTreeOptions = {}): LiveTree {
    const tree = new LiveTree(options);
    tree.#table.restore(snapshot);
    return tree;
  }

  get readOnly(): boolean {
    return this.#readOnly;
  }

  /** Sets or removes the write protection. */
  setReadOnly(readOnly: boolean): void {
    this.#readOnly = readOnly;
  }

  /**
   * While full, calls that need more space answer `-ENOSPC`, and `onChange` is called for them; existing files can
   * be overwritten and removed. For a tree whose changes can no longer be stored.
   */
  setFull(isFull: boolean): void {
    this.#isFull = isFull;
  }

  /** The tree as it is now. O(1); whatever is changed afterwards is copied first. */
  snapshot(): TreeSnapshot {
    return this.#table.snapshot();
  }

  /** Puts the tree at `snapshot`, in O(1). Forgets every `retain`: callers with open files must retain them again. */
  restore(snapshot: TreeSnapshot): void {
    this.#table.restore(snapshot);
    this.#retained.clear();
    this.#noteChange();
  }

  /** A new tree that starts as this one is now, with the same options except those given. */
  fork(options: LiveTreeOptions = {}): LiveTree {
    return LiveTree.from(this.snapshot(), { ...this.#options, ...options });
  }

  /** Removed inodes that are still open. */
  unlinked(): Ino[] {
    return this.#table.unlinked();
  }

  /** Frees removed inodes that nothing has retained: after a restore whose open files are gone. */
  dropUnlinked(): void {
    for (const ino of this.#table.unlinked()) {
      const inode = this.#table.get(ino);
      if (inode) this.#names.dropIfUnused(inode);
    }
  }

  /** The inodes that were made, changed or dropped since `mark`. Costs what changed. */
  changedSince(mark: TreeSnapshot): Set<Ino> {
    const { changes } = radixChanges(mark.inodes, this.snapshot().inodes);
    return new Set(changes.map((change) => change.index));
  }

  /** Makes the next mutation call `onChange` again. */
  rearm(): void {
    this.#armed = true;
  }

  /** The inode itself, for members that `stat` does not show. Do not change it. */
  inode(ino: Ino): Inode | undefined {
    return this.#table.get(ino);
  }

  stat(ino: Ino): InodeView | undefined {
    return this.#table.get(ino);
  }

  lookup(directory: Ino, name: ByteString): Ino {
    return this.#names.lookup(directory, name);
  }

  readdir(directory: Ino, cookie: number, visit: DirectoryVisitor): Result {
    return this.#names.readdir(directory, cookie, visit);
  }

  create(directory: Ino, name: ByteString, inode: NewInode): Result {
    if (this.#readOnly) return -errno.EROFS;
    return this.#isFull ? this.#refuse() : this.#done(this.#names.create(directory, name, inode));
  }

  link(ino: Ino, directory: Ino, name: ByteString): Result {
    if (this.#readOnly) return -errno.EROFS;
    return this.#isFull ? this.#refuse() : this.#done(this.#names.link(ino, directory, name));
  }

  unlink(directory: Ino, name: ByteString): Result {
    return this.#readOnly ? -errno.EROFS : this.#done(this.#names.unlink(directory, name));
  }

  rmdir(directory: Ino, name: ByteString): Result {
    return this.#readOnly ? -errno.EROFS : this.#done(this.#names.rmdir(directory, name));
  }

  rename(fromDirectory: Ino, fromName: ByteString, toDirectory: Ino, toName: ByteString): Result {
    if (this.#readOnly) return -errno.EROFS;
    const from = { directory: fromDirectory, name: fromName };
    return this.#done(this.#names.rename(from, { directory: toDirectory, name: toName }));
  }

  read(ino: Ino, offset: number, into: Uint8Array): Result {
    const inode = this.#table.get(ino);
    const failure = checkFile(inode, offset);
    if (inode === undefined || failure < 0) return failure;
    try {
      return readFileData(inode, { offset, into, cache: this.#content });
    } catch {
      return -errno.EIO;
    }
  }

  write(ino: Ino, offset: number, bytes: Uint8Array): Result {
    if (this.#readOnly) return -errno.EROFS;
    const found = this.#table.get(ino);
    const failure = checkFile(found, offset);
    if (found === undefined || failure < 0) return failure;
    const end = offset + bytes.length;
    if (end > treeLimits.fileBytes) return -errno.EFBIG;
    if (bytes.length === 0) return 0;
    try {
      const holes = holesIn(found, { offset, length: bytes.length, cache: this.#content });
      const growth = allocatedAfterWrite(found, { end, holes }) - found.allocatedBytes;
      if (!this.#hasRoom(growth)) return this.#refuse();
      const inode = this.#table.own(found);
      writeFileData(inode, { offset, bytes, cache: this.#content });
      this.#table.usedBytes += growth;
      inode.modified(this.#clock());
    } catch {
      return -errno.EIO;
    }
    return this.#done(bytes.length);
  }

  truncate(ino: Ino, sizeBytes: number): Result {
    if (this.#readOnly) return -errno.EROFS;
    const found = this.#table.get(ino);
    const failure = checkFile(found, sizeBytes);
    if (found === undefined || failure < 0) return failure;
    if (sizeBytes > treeLimits.fileBytes) return -errno.EFBIG;
    if (sizeBytes === found.fileBytes) return 0;
    const growth = allocated(sizeBytes, found.extentCount) - found.allocatedBytes;
    if (!this.#hasRoom(growth)) return this.#refuse();
    try {
      const before = found.allocatedBytes;
      const inode = this.#table.own(found);
      truncateFileData(inode, sizeBytes, this.#content);
      this.#table.usedBytes += inode.allocatedBytes - before;
      inode.modified(this.#clock());
    } catch {
      return -errno.EIO;
    }
    return this.#done(0);
  }

  /** Makes stored content that of a regular file: nothing of it is read. */
  setContent(ino: Ino, { content, sizeBytes }: { content: FileContent; sizeBytes: number }): Result {
    if (this.#readOnly) return -errno.EROFS;
    const found = this.#table.get(ino);
    const failure = checkFile(found, sizeBytes);
    if (found === undefined || failure < 0) return failure;
    const growth = allocated(sizeBytes, contentChunks(content)) - found.allocatedBytes;
    if (!this.#hasRoom(growth)) return this.#refuse();
    const inode = this.#table.own(found);
    inode.fileBytes = sizeBytes;
    inode.extents = undefined;
    inode.extentCount = contentChunks(content);
    inode.content = content;
    this.#table.usedBytes += growth;
    inode.modified(this.#clock());
    return this.#done(0);
  }

  setAttributes(ino: Ino, change: AttributeChange): Result {
    if (this.#readOnly) return -errno.EROFS;
    const found = this.#table.get(ino);
    if (found === undefined) return -errno.ENOENT;
    if (!isAttributeChange(change)) return -errno.EINVAL;
    applyAttributes(this.#table.own(found), change, this.#clock());
    return this.#done(0);
  }

  getXattr(ino: Ino, name: ByteString): Uint8Array | undefined {
    return this.#table.get(ino)?.xattrs.get(name);
  }

  setXattr(ino: Ino, name: ByteString, value: Uint8Array): Result {
    if (this.#readOnly) return -errno.EROFS;
    const found = this.#table.get(ino);
    if (found === undefined) return -errno.ENOENT;
    const failure = checkXattr(found, name, value.length);
    if (failure < 0) return failure;
    const growth = xattrBytesAfter(found, name, value.length) - found.xattrBytes;
    if (!this.#hasRoom(growth)) return this.#refuse();
    const inode = this.#table.own(found);
    putXattr(inode, name, value.slice());
    this.#table.usedBytes += growth;
    inode.changed(this.#clock());
    return this.#done(0);
  }

  removeXattr(ino: Ino, name: ByteString): Result {
    if (this.#readOnly) return -errno.EROFS;
    const found = this.#table.get(ino);
    if (found === undefined) return -errno.ENOENT;
    if (!found.xattrs.has(name)) return -errno.ENODATA;
    const inode = this.#table.own(found);
    this.#table.usedBytes -= inode.xattrBytes;
    deleteXattr(inode, name);
    this.#table.usedBytes += inode.xattrBytes;
    inode.changed(this.#clock());
    return this.#done(0);
  }

  listXattrs(ino: Ino): readonly ByteString[] {
    return [...(this.#table.get(ino)?.xattrs.keys() ?? [])];
  }

  retain(ino: Ino): void {
    if (this.#table.get(ino)) this.#retained.set(ino, (this.#retained.get(ino) ?? 0) + 1);
  }

  release(ino: Ino): void {
    const count = this.#retained.get(ino) ?? 0;
    if (count > 1) {
      this.#retained.set(ino, count - 1);
      return;
    }
    this.#retained.delete(ino);
    const inode = this.#table.get(ino);
    if (inode) this.#names.dropIfUnused(inode);
  }

  usage(): { usedBytes: number; totalBytes: number; usedInodes: number; totalInodes: number } {
    return {
      usedBytes: this.#table.usedBytes,
      totalBytes: this.#isFull ? this.#table.usedBytes : this.#totalBytes,
      usedInodes: this.#table.usedInodes,
      totalInodes: this.#totalInodes,
    };
  }

  #hasRoom(growth: number): boolean {
    return growth <= 0 || (!this.#isFull && this.#table.usedBytes + growth <= this.#totalBytes);
  }

  /** The store may have space again by now; `onChange` makes the capturer check. */
  #refuse(): Result {
    if (this.#isFull) this.#noteChange();
    return -errno.ENOSPC;
  }

  /** Passes a result on, and calls `onChange` if it was a success. */
  #done(result: Result): Result {
    if (result >= 0) this.#noteChange();
    return result;
  }

  #noteChange(): void {
    if (!this.#armed) return;
    this.#armed = false;
    this.#options.onChange?.();
  }
}

function checkFile(inode: Inode | undefined, offset: number): Result {
  if (inode === undefined) return -errno.ENOENT;
  if (!isFile(inode.mode)) return inode.entries ? -errno.EISDIR : -errno.EINVAL;
  return offset >= 0 && Number.isSafeInteger(offset) ? 0 : -errno.EINVAL;
}

function systemClock(): Timestamp {
  const now = Date.now();
  const seconds = Math.floor(now / 1000);
  return { seconds, nanoseconds: (now - seconds * 1000) * 1_000_000 };
}

import type { ByteString } from '../content/byte-string.ts';
import type { Extent } from '../content/extent.ts';
import type { FileContent } from '../content/file-content.ts';
import { Radix } from '../content/radix.ts';
import { treeLimits } from '../limits.ts';
import { DirectoryMap } from './directory-map.ts';
import { isDevice, isDirectory, isFile, isSymlink } from './file-mode.ts';
import type { Ino, InodeView, NewInode, Timestamp } from './file-tree.ts';
import { isSameLink, type Link, LinkList, noLinks } from './link-list.ts';

/** The `link` of a removed inode. */
const noLink: Link = { parent: 0, name: '' };

type InodeInit = Pick<
  Inode,
  'mode' | 'uid' | 'gid' | 'nlink' | 'rdev' | 'link' | 'target' | 'entries' | 'extents'
>;

const noXattrs: ReadonlyMap<ByteString, Uint8Array> = new Map();

/** What `du` counts in: blocks of this many bytes. */
const blockBytes = 4_096;

/**
 * One file, directory, or other thing. Only the tree with the inode's epoch changes it in place (`InodeTable.own`);
 * for all others it is immutable.
 */
export class Inode implements InodeView {
  readonly epoch: number;
  readonly ino: Ino;
  mode: number;
  uid: number;
  gid: number;
  nlink: number;
  rdev: number;
  /** Of a regular file; the size of other types is computed. */
  fileBytes = 0;
  atimeSeconds = 0;
  atimeNanoseconds = 0;
  mtimeSeconds = 0;
  mtimeNanoseconds = 0;
  ctimeSeconds = 0;
  ctimeNanoseconds = 0;
  version = 1;
  /** One name. */
  link: Link;
  /** The other names, when there are several. */
  otherLinks: LinkList = noLinks;
  target: ByteString | undefined;
  /** See `putXattr`. */
  xattrs: ReadonlyMap<ByteString, Uint8Array> = noXattrs;
  xattrBytes = 0;
  /** Of a directory. */
  entries: DirectoryMap | undefined;
  /** Of a regular file; `undefined` while `content` has not been unfolded into extents. */
  extents: Radix<Extent> | undefined;
  /** Extents that are not holes. */
  extentCount = 0;
  /** The durable form of exactly this content, when there is one. */
  content: FileContent | undefined;

  constructor(ino: Ino, epoch: number, from: InodeInit) {
    this.epoch = epoch;
    this.ino = ino;
    this.mode = from.mode;
    this.uid = from.uid;
    this.gid = from.gid;
    this.nlink = from.nlink;
    this.rdev = from.rdev;
    this.link = from.link;
    this.target = from.target;
    this.entries = from.entries;
    this.extents = from.extents;
  }

  /** An inode with one name and no content. */
  static create(ino: Ino, epoch: number, from: NewInode & { readonly link: Link }): Inode {
    const { mode, uid, gid, link } = from;
    return new Inode(ino, epoch, {
      mode,
      uid,
      gid,
      nlink: isDirectory(mode) ? 2 : 1,
      rdev: isDevice(mode) ? (from.rdev ?? 0) : 0,
      link,
      target: isSymlink(mode) ? (from.target ?? '') : undefined,
      entries: isDirectory(mode) ? new DirectoryMap() : undefined,
      extents: isFile(mode) ? new Radix() : undefined,
    });
  }

  /** A copy that the tree with `epoch` may change. */
  copy(epoch: number): Inode {
    const copy = new Inode(this.ino, epoch, this);
    copy.fileBytes = this.fileBytes;
    copy.atimeSeconds = this.atimeSeconds;
    copy.atimeNanoseconds = this.atimeNanoseconds;
    copy.mtimeSeconds = this.mtimeSeconds;
    copy.mtimeNanoseconds = this.mtimeNanoseconds;
    copy.ctimeSeconds = this.ctimeSeconds;
    copy.ctimeNanoseconds = this.ctimeNanoseconds;
    copy.version = this.version;
    copy.otherLinks = this.otherLinks;
    copy.xattrs = this.xattrs;
    copy.xattrBytes = this.xattrBytes;
    copy.entries = this.entries?.clone();
    copy.extents = this.extents?.clone();
    copy.extentCount = this.extentCount;
    copy.content = this.content;
    return copy;
  }

  get parent(): Ino {
    return this.link.parent;
  }

  get sizeBytes(): number {
    if (this.target !== undefined) return this.target.length;
    return this.entries === undefined ? this.fileBytes : blockBytes;
  }

  /** Holes are counted in whole extents, the end of the file in blocks of 4 KiB. */
  get allocatedBytes(): number {
    return allocated(this.fileBytes, this.extentCount);
  }

  /** The inode's share of the tree's `totalBytes`. */
  get accountedBytes(): number {
    return this.allocatedBytes + this.xattrBytes;
  }

  /** Content or names changed: mtime, ctime and version move. */
  modified(now: Timestamp): void {
    this.mtimeSeconds = now.seconds;
    this.mtimeNanoseconds = now.nanoseconds;
    this.changed(now);
  }

  /** Metadata changed: ctime and version move. */
  changed(now: Timestamp): void {
    this.ctimeSeconds = now.seconds;
    this.ctimeNanoseconds = now.nanoseconds;
    this.version += 1;
  }

  /** All three times. */
  setTimes(time: Timestamp): void {
    this.atimeSeconds = this.mtimeSeconds = this.ctimeSeconds = time.seconds;
    this.atimeNanoseconds = this.mtimeNanoseconds = this.ctimeNanoseconds = time.nanoseconds;
  }

  addLink(link: Link): void {
    if (this.link === noLink) this.link = link;
    else this.#ownLinks().add(link);
  }

  removeLink(link: Link): void {
    if (this.otherLinks.length === 0) {
      if (isSameLink(this.link, link)) this.link = noLink;
      return;
    }
    const others = this.#ownLinks();
    if (isSameLink(this.link, link)) this.link = others.pop() ?? noLink;
    else others.remove(link);
    if (others.length === 0) this.otherLinks = noLinks;
  }

  /** The list, which may be shared with an inode of before, as one that may be changed. */
  #ownLinks(): LinkList {
    if (this.otherLinks.epoch !== this.epoch) this.otherLinks = new LinkList(this.epoch, this.otherLinks);
    return this.otherLinks;
  }
}

/** The space of a file of `sizeBytes` with `extentCount` extents that are not holes. */
export function allocated(sizeBytes: number, extentCount: number): number {
  return Math.min(extentCount * treeLimits.extentBytes, Math.ceil(sizeBytes / blockBytes) * blockBytes);
}

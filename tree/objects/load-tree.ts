import { treeLimits } from '../limits.ts';
import type { ByteString } from '../live/byte-string.ts';
import type { ContentSource } from '../live/content-source.ts';
import { DirectoryMap, type NamedIno } from '../live/directory-map.ts';
import { nextEpoch } from '../live/epoch.ts';
import { Inode, type Link } from '../live/inode.ts';
import { Radix } from '../live/radix.ts';
import type { TreeSnapshot } from '../live/tree-snapshot.ts';
import { rootIno } from '../live/tree-snapshot.ts';
import type { PageRef } from './directory.ts';
import { decodeDirectoryIndex, directoryFormat, isDirectoryIndex } from './directory.ts';
import { contentChunks } from './file-content.ts';
import type { NulPath } from './hard-link.ts';
import { hardLinkFormat } from './hard-link.ts';
import type { ObjectId } from './object-id.ts';
import { decodePage, endsPage } from './pages.ts';
import type { SealedDirectory, SealedGroup } from './sealed-tree.ts';
import { SealedTree } from './sealed-tree.ts';
import type { TreeEntry } from './tree-entry.ts';
import { sameInode } from './tree-entry.ts';
import { decodeTreeRoot } from './tree-root.ts';

export interface LoadOptions {
  /** Refuses a tree with more inodes. Default 2,000,000. */
  readonly maxInodes?: number;
  /** Refuses a tree whose files take more. Default 16 TiB. */
  readonly maxBytes?: number;
}

export interface LoadedTree {
  readonly snapshot: TreeSnapshot;
  /** What the next seal starts from. */
  readonly sealed: SealedTree;
}

/**
 * Loads a stored tree: all names and metadata now, file content by id when it is read. Inode numbers
 * are given in walking order (a directory before what is in it, names by their bytes, the root is 1),
 * so the same tree always gets the same ones. Access and change times are set to the modification time.
 * @throws RangeError when an object is not canonical or limits are passed, and what `source` throws
 */
export function loadTree(source: ContentSource, id: ObjectId, options: LoadOptions = {}): LoadedTree {
  const root = decodeTreeRoot(source.read(id));
  const loader = new Loader(source, options);
  loader.readLinks(root.links);
  loader.load(root.entry);
  const snapshot = loader.finish();
  return {
    snapshot,
    sealed: new SealedTree(id, { snapshot, directories: loader.directories, links: root.links }),
  };
}

/** A file with several names. */
interface LinkedFile {
  /** The first of them in walking order. */
  readonly primary: NulPath;
  /** What was found there. */
  found: { readonly inode: Inode; readonly entry: TreeEntry } | undefined;
}

class Loader {
  readonly directories: Radix<SealedDirectory> = new Radix();
  readonly #source: ContentSource;
  readonly #maxInodes: number;
  readonly #maxBytes: number;
  readonly #epoch: number = nextEpoch();
  /** By inode number. */
  readonly #inodes: (Inode | undefined)[] = new Array(rootIno).fill(undefined);
  readonly #hardLinked: Radix<true> = new Radix();
  /** Files with several names: by directory, then by name. */
  readonly #linkedFiles: Map<NulPath, Map<ByteString, LinkedFile>> = new Map();
  #usedBytes = 0;
  /** Names of files beside their first. */
  #links = 0;
  #linksLeft = 0;
  #depthBound = 0;

  constructor(source: ContentSource, options: LoadOptions) {
    this.#source = source;
    this.#maxInodes = options.maxInodes ?? 2_000_000;
    this.#maxBytes = options.maxBytes ?? treeLimits.fileBytes;
  }

  readLinks(pages: readonly ObjectId[]): void {
    let last = '';
    pages.forEach((id, index) => {
      const isLast = index === pages.length - 1;
      const links = decodePage(this.#source.read(id), hardLinkFormat, { isLast });
      if (links.length === 0) throw new RangeError('Cannot load tree: a page of hard links is empty');
      for (const { path, primary } of links) {
        if (path <= last) throw new RangeError('Cannot load tree: hard links are not in order');
        last = path;
        const file = this.#linkedFile(primary) ?? { primary, found: undefined };
        if (file.primary !== primary) throw linkMismatch();
        this.#setLinkedFile(primary, file);
        this.#setLinkedFile(path, file);
        this.#links += 1;
        if (this.#links > this.#maxInodes) throw this.#tooManyInodes();
      }
    });
    this.#linksLeft = this.#links;
  }

  load(root: TreeEntry & { readonly directory: ObjectId }): void {
    const inode = this.#add(root, { parent: rootIno, name: '' });
    this.#loadDirectory(inode, { id: root.directory, path: '', depth: 0 });
  }

  finish(): TreeSnapshot {
    if (this.#linksLeft > 0)
      throw new RangeError('Cannot load tree: a hard link names a path that is not there');
    return {
      inodes: Radix.of(this.#inodes, this.#epoch),
      unlinked: new Radix(),
      hardLinked: this.#hardLinked,
      nextIno: this.#inodes.length,
      usedBytes: this.#usedBytes,
      usedInodes: this.#used,
      depthBound: this.#depthBound,
    };
  }

  #loadDirectory(inode: Inode, at: { id: ObjectId; path: NulPath; depth: number }): void {
    if (at.depth > treeLimits.depth) throw new RangeError('Cannot load tree: directories are too deep');
    this.#depthBound = Math.max(this.#depthBound, at.depth);
    const { entries, groups } = this.#readDirectory(at.id);
    this.directories.set(inode.ino, { id: at.id, groups }, this.#epoch);
    const linkedFiles = this.#linkedFiles.get(at.path);
    const names: NamedIno[] = [];
    for (const entry of entries) {
      const link = { parent: inode.ino, name: entry.name };
      const file = linkedFiles?.get(entry.name);
      const isLater = file !== undefined && file.primary !== pathOf(at.path, entry.name);
      const child = isLater ? this.#addName(file, entry, link) : this.#add(entry, link);
      names.push({ name: entry.name, ino: child.ino });
      if (file && !isLater) file.found = { inode: child, entry };
      if (entry.directory) {
        inode.nlink += 1;
        const path = pathOf(at.path, entry.name);
        this.#loadDirectory(child, { id: entry.directory, path, depth: at.depth + 1 });
      }
    }
    inode.entries = DirectoryMap.of(names, this.#epoch);
    if (!inode.entries)
      throw new RangeError('Cannot load tree: too many names in a directory have the same hash');
  }

  /** Adds a name to a file that has been met before. */
  #addName({ found }: LinkedFile, entry: TreeEntry, link: Link): Inode {
    if (!found || found.inode.entries || !sameInode(found.entry, entry)) throw linkMismatch();
    const { inode } = found;
    inode.nlink += 1;
    if (inode.nlink > treeLimits.hardLinks)
      throw new RangeError('Cannot load tree: a file has too many names');
    inode.addLink(link);
    this.#hardLinked.set(inode.ino, true, this.#epoch);
    this.#linksLeft -= 1;
    return inode;
  }

  #add(entry: TreeEntry, link: Link): Inode {
    if (this.#used >= this.#maxInodes) throw this.#tooManyInodes();
    const { mode, uid, gid, rdev, target } = entry;
    const inode = new Inode(this.#inodes.length, this.#epoch, {
      mode,
      uid,
      gid,
      nlink: entry.directory ? 2 : 1,
      rdev,
      link,
      target,
      entries: entry.directory ? new DirectoryMap() : undefined,
      extents: undefined,
    });
    inode.setTimes({ seconds: entry.mtimeSeconds, nanoseconds: entry.mtimeNanoseconds });
    if (entry.xattrs.size > 0) {
      inode.xattrs = entry.xattrs;
      for (const [name, value] of entry.xattrs) inode.xattrBytes += name.length + value.length;
    }
    if (entry.content) {
      inode.fileBytes = entry.sizeBytes;
      inode.content = entry.content;
      inode.extentCount = contentChunks(entry.content);
    }
    this.#usedBytes += inode.accountedBytes;
    if (this.#usedBytes > this.#maxBytes) {
      throw new RangeError(`Cannot load tree: its files take more than ${this.#maxBytes} bytes`);
    }
    this.#inodes.push(inode);
    return inode;
  }

  /** Inodes, and names of files beside their first. */
  get #used(): number {
    return this.#inodes.length - rootIno + this.#links;
  }

  #linkedFile(path: NulPath): LinkedFile | undefined {
    const { directory, name } = splitPath(path);
    return this.#linkedFiles.get(directory)?.get(name);
  }

  #setLinkedFile(path: NulPath, file: LinkedFile): void {
    const { directory, name } = splitPath(path);
    const files = this.#linkedFiles.get(directory) ?? new Map<ByteString, LinkedFile>();
    this.#linkedFiles.set(directory, files.set(name, file));
  }

  #readDirectory(id: ObjectId): { entries: TreeEntry[]; groups: SealedGroup[] } {
    const bytes = this.#source.read(id);
    const entries: TreeEntry[] = [];
    const groups: SealedGroup[] = [];
    let names: string[] = [];
    let pages: PageRef[] = [];
    const take = (page: readonly TreeEntry[], ref: PageRef): void => {
      if ((page[0]?.name ?? '') !== ref.first)
        throw new RangeError(`Cannot load directory ${id}: its index is wrong`);
      for (const entry of page) {
        if (entry.name <= (entries[entries.length - 1]?.name ?? '')) {
          throw new RangeError(`Cannot load directory ${id}: its pages are not in order`);
        }
        entries.push(entry);
        names.push(entry.name);
      }
      pages.push(ref);
      if (endsPage(names[names.length - 1] ?? '')) {
        groups.push({ names, pages });
        names = [];
        pages = [];
      }
    };
    if (isDirectoryIndex(bytes)) {
      const index = decodeDirectoryIndex(bytes);
      index.forEach((ref, at) => {
        const isLast = at === index.length - 1;
        take(decodePage(this.#source.read(ref.id), directoryFormat, { isLast }), ref);
      });
    } else {
      const page = decodePage(bytes, directoryFormat, { isLast: true });
      if (page.length > 0) take(page, { first: page[0]?.name ?? '', id });
    }
    if (names.length > 0) groups.push({ names, pages });
    return { entries, groups };
  }

  #tooManyInodes(): RangeError {
    return new RangeError(`Cannot load tree: it has more than ${this.#maxInodes} inodes`);
  }
}

function pathOf(directory: NulPath, name: ByteString): NulPath {
  return directory === '' ? name : `${directory}\0${name}`;
}

function splitPath(path: NulPath): { directory: NulPath; name: ByteString } {
  const end = path.lastIndexOf('\0');
  return { directory: path.slice(0, Math.max(0, end)), name: path.slice(end + 1) };
}

function linkMismatch(): RangeError {
  return new RangeError('Cannot load tree: a hard link does not match its file');
}

import type { ByteString } from '../content/byte-string.ts';
import type { ContentSource } from '../content/content-source.ts';
import { nextEpoch } from '../content/epoch.ts';
import type { ObjectId } from '../content/object-id.ts';
import { Radix } from '../content/radix.ts';
import { treeLimits } from '../limits.ts';
import { DirectoryMap, type NamedIno, tooManyAlike } from '../live/directory-map.ts';
import type { Ino } from '../live/file-tree.ts';
import type { Inode } from '../live/inode.ts';
import type { Link } from '../live/link-list.ts';
import type { TreeSnapshot } from '../live/tree-snapshot.ts';
import { rootIno } from '../live/tree-snapshot.ts';
import { DeferredDirectory } from './deferred-directory.ts';
import { entryInode } from './entry-inode.ts';
import type { NulPath } from './hard-link.ts';
import { hardLinkFormat } from './hard-link.ts';
import type { DirectorySize, KnownDirectories } from './known-directories.ts';
import { decodePage } from './pages.ts';
import { readSealedDirectory } from './read-sealed-directory.ts';
import { SealedTree } from './sealed-tree.ts';
import type { TreeEntry } from './tree-entry.ts';
import { sameInode } from './tree-entry.ts';
import { TreeLeaves } from './tree-leaves.ts';
import { decodeTreeRoot } from './tree-root.ts';

export interface LoadOptions {
  /** Refuses a tree with more inodes. Default 2,000,000. */
  readonly maxInodes?: number;
  /** Refuses a tree whose files take more. Default 16 TiB. */
  readonly maxBytes?: number;
  /** Directories that are read on first access only; by default all are read now. */
  readonly known?: KnownDirectories;
}

export interface LoadedTree {
  readonly snapshot: TreeSnapshot;
  /** The state from which the next seal starts. */
  readonly sealed: SealedTree;
}

/**
 * Loads a stored tree: names and metadata now (but for directories that are `known`, and have no file
 * with several names below them), file content by id when it is read. The names of a directory get
 * inode numbers in a row, a directory's before those of the directories in it, and the root is 1, so
 * the same tree always gets the same ones. Access and change times are set to the modification time.
 * @throws RangeError when an object is not canonical or limits are passed, and what `source` throws;
 * a directory that is read later throws the same then
 */
export function loadTree(source: ContentSource, id: ObjectId, options: LoadOptions = {}): LoadedTree {
  const root = decodeTreeRoot(source.read(id));
  const loader = new Loader(source, options);
  loader.readLinks(root.links);
  loader.load(root.entry);
  return loader.finish(id, root.links);
}

const noneKnown: KnownDirectories = { get: () => undefined, note: () => undefined };

/** Where a directory is in the tree; the root at depth 0. */
interface DirectoryPlace {
  readonly id: ObjectId;
  readonly path: NulPath;
  readonly depth: number;
}

/** A file with several names. */
interface LinkedFile {
  /** The first of them in walking order. */
  readonly primary: NulPath;
  /** The entry there. */
  found: { readonly inode: Inode; readonly entry: TreeEntry } | undefined;
}

class Loader {
  readonly #source: ContentSource;
  readonly #maxInodes: number;
  readonly #maxBytes: number;
  readonly #known: KnownDirectories;
  readonly #epoch: number = nextEpoch();
  readonly #leaves: TreeLeaves = new TreeLeaves(this.#epoch);
  readonly #hardLinked: Radix<true> = new Radix();
  /** Files with several names: by directory, then by name. */
  readonly #linkedFiles: Map<NulPath, Map<ByteString, LinkedFile>> = new Map();
  /** Directories above such files, which cannot be deferred. */
  readonly #aboveLinks: Set<NulPath> = new Set();
  #inodes = 0;
  #usedBytes = 0;
  /** Further names of files. */
  #links = 0;
  #linksLeft = 0;
  #depthBound = 0;

  constructor(source: ContentSource, options: LoadOptions) {
    this.#source = source;
    this.#maxInodes = options.maxInodes ?? 2_000_000;
    this.#maxBytes = options.maxBytes ?? treeLimits.fileBytes;
    this.#known = options.known ?? noneKnown;
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
    const inode = this.#add(root, { ino: rootIno, link: { parent: rootIno, name: '' } });
    this.#loadDirectory(inode, { id: root.directory, path: '', depth: 0 });
  }

  finish(id: ObjectId, links: readonly ObjectId[]): LoadedTree {
    if (this.#linksLeft > 0)
      throw new RangeError('Cannot load tree: a hard link names a path that is not there');
    const snapshot = {
      inodes: this.#leaves.inodes(),
      unlinked: new Radix<true>(),
      hardLinked: this.#hardLinked,
      nextIno: this.#leaves.nextIno,
      usedBytes: this.#usedBytes,
      usedInodes: this.#used,
      depthBound: this.#depthBound,
    };
    const directories = this.#leaves.directories();
    return { snapshot, sealed: new SealedTree(id, { snapshot, directories, links, isLoaded: true }) };
  }

  /** Answers how many levels of directories are below. */
  #loadDirectory(inode: Inode, at: DirectoryPlace): number {
    if (at.depth > treeLimits.depth) throw tooDeep();
    const hasLinks = this.#aboveLinks.has(at.path);
    const size = hasLinks ? undefined : this.#known.get(at.id);
    if (size) return this.#defer(inode, { ...at, size });
    const before = { leaves: this.#leaves.count, inodes: this.#inodes, bytes: this.#usedBytes };
    const { names, height, isClosed } = this.#readDirectory(inode, at);
    if (!hasLinks && isClosed) {
      this.#known.note(at.id, {
        names,
        directories: inode.nlink - 2,
        leaves: this.#leaves.count - before.leaves,
        inodes: this.#inodes - before.inodes,
        bytes: this.#usedBytes - before.bytes,
        height,
      });
    }
    return height;
  }

  /** Reads the whole tree, except below known directories. */
  #readDirectory(
    inode: Inode,
    at: DirectoryPlace,
  ): { names: number; height: number /** All directories in it are known. */; isClosed: boolean } {
    this.#depthBound = Math.max(this.#depthBound, at.depth);
    const { entries, groups } = readSealedDirectory(this.#source, at.id);
    const firstIno = this.#leaves.add(entries.length);
    this.#leaves.putDirectory(inode.ino, { id: at.id, groups });
    const linkedFiles = this.#linkedFiles.get(at.path);
    const names: NamedIno[] = [];
    let height = 0;
    let isClosed = true;
    for (const entry of entries) {
      const ino = firstIno + names.length;
      const link = { parent: inode.ino, name: entry.name };
      const file = linkedFiles?.get(entry.name);
      const isLater = file !== undefined && file.primary !== pathOf(at.path, entry.name);
      const child = isLater ? this.#addName(file, entry, link) : this.#add(entry, { ino, link });
      names.push({ name: entry.name, ino: child.ino });
      if (file && !isLater) file.found = { inode: child, entry };
      if (entry.directory) {
        inode.nlink += 1;
        const path = pathOf(at.path, entry.name);
        const below = this.#loadDirectory(child, { id: entry.directory, path, depth: at.depth + 1 });
        height = Math.max(height, 1 + below);
        isClosed &&= this.#known.get(entry.directory) !== undefined;
      }
    }
    inode.entries = DirectoryMap.of(names, this.#epoch);
    if (!inode.entries) throw tooManyAlike();
    return { names: names.length, height, isClosed };
  }

  #defer(inode: Inode, { id, depth, size }: DirectoryPlace & { readonly size: DirectorySize }): number {
    if (depth + size.height > treeLimits.depth) throw tooDeep();
    this.#depthBound = Math.max(this.#depthBound, depth + size.height);
    this.#count(size);
    const firstLeaf = this.#leaves.count;
    const tree = { source: this.#source, known: this.#known, leaves: this.#leaves };
    const directory = new DeferredDirectory(tree, { id, inode, size, firstLeaf });
    this.#leaves.putDirectory(inode.ino, directory);
    this.#leaves.addDeferred(size.leaves, directory);
    return size.height;
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

  #add(entry: TreeEntry, at: { readonly ino: Ino; readonly link: Link }): Inode {
    const inode = entryInode(entry, { ...at, epoch: this.#epoch });
    this.#count({ inodes: 1, bytes: inode.accountedBytes });
    this.#leaves.put(inode);
    return inode;
  }

  #count({ inodes, bytes }: Pick<DirectorySize, 'inodes' | 'bytes'>): void {
    this.#inodes += inodes;
    this.#usedBytes += bytes;
    if (this.#used > this.#maxInodes) throw this.#tooManyInodes();
    if (this.#usedBytes > this.#maxBytes)
      throw new RangeError(`Cannot load tree: its files take more than ${this.#maxBytes} bytes`);
  }

  /** Inodes, and names of files beside their first. */
  get #used(): number {
    return this.#inodes + this.#links;
  }

  #linkedFile(path: NulPath): LinkedFile | undefined {
    const { directory, name } = splitPath(path);
    return this.#linkedFiles.get(directory)?.get(name);
  }

  #setLinkedFile(path: NulPath, file: LinkedFile): void {
    const { directory, name } = splitPath(path);
    const files = this.#linkedFiles.get(directory) ?? new Map<ByteString, LinkedFile>();
    this.#linkedFiles.set(directory, files.set(name, file));
    for (let above = directory; !this.#aboveLinks.has(above); above = splitPath(above).directory)
      this.#aboveLinks.add(above);
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

function tooDeep(): RangeError {
  return new RangeError('Cannot load tree: directories are too deep');
}

function linkMismatch(): RangeError {
  return new RangeError('Cannot load tree: a hard link does not match its file');
}

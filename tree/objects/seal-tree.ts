import type { ByteString } from '../content/byte-string.ts';
import { nextEpoch } from '../content/epoch.ts';
import type { FileContent } from '../content/file-content.ts';
import type { ObjectId } from '../content/object-id.ts';
import { Radix } from '../content/radix.ts';
import type { Ino } from '../live/file-tree.ts';
import type { Inode } from '../live/inode.ts';
import type { TreeSnapshot } from '../live/tree-snapshot.ts';
import { rootIno } from '../live/tree-snapshot.ts';
import { directoryFormat, emptyDirectory, encodeDirectoryIndex } from './directory.ts';
import { planGroups } from './directory-groups.ts';
import { storedObject } from './hash-object.ts';
import { ObjectBatch } from './object-batch.ts';
import type { StoredObject } from './object-store.ts';
import { encodePages } from './pages.ts';
import { sealFile } from './seal-file.ts';
import { sealLinks } from './seal-links.ts';
import { planSeal } from './seal-plan.ts';
import type { PendingContent, SealedDirectory, SealedGroup } from './sealed-tree.ts';
import { SealedTree } from './sealed-tree.ts';
import type { TreeEntry } from './tree-entry.ts';
import { encodeTreeRoot } from './tree-root.ts';

export interface SealOptions {
  /** The last seal of the same tree whose objects are durable; only what changed since is visited. */
  readonly previous?: SealedTree | undefined;
  /** Bytes hashed between two yields. Default 1 MiB: some milliseconds. */
  readonly sliceBytes?: number;
}

/** What a seal did, for tests of H-3 and for diagnosis. */
export interface SealStats {
  readonly visitedNodes: number;
  readonly encodedEntries: number;
}

/**
 * Gives a snapshot its id. Yields the objects that `previous` did not have, in slices, so that the caller can store
 * them and yield to other work; returns the sealed tree. The live tree may change meanwhile.
 */
export function* sealSlices(
  snapshot: TreeSnapshot,
  options: SealOptions = {},
): Generator<StoredObject[], { sealed: SealedTree; stats: SealStats }> {
  const run = new TreeSealer(snapshot, options);
  for (const directory of run.plan.directories) {
    for (const _ of run.sealDirectory(directory.inode, directory.names)) yield run.batch.take();
  }
  const sealed = run.finish();
  yield run.batch.take();
  return { sealed, stats: { visitedNodes: run.plan.visitedNodes, encodedEntries: run.encodedEntries } };
}

/** `sealSlices` in one go. */
export function sealTree(
  snapshot: TreeSnapshot,
  previous?: SealedTree,
): { id: ObjectId; objects: StoredObject[]; sealed: SealedTree; stats: SealStats } {
  const objects: StoredObject[] = [];
  const slices = sealSlices(snapshot, { previous });
  let slice = slices.next();
  for (; !slice.done; slice = slices.next()) for (const object of slice.value) objects.push(object);
  return { id: slice.value.sealed.id, objects, ...slice.value };
}

class TreeSealer {
  readonly plan: ReturnType<typeof planSeal>;
  readonly batch: ObjectBatch;
  encodedEntries = 0;
  readonly #snapshot: TreeSnapshot;
  readonly #previous: SealedTree | undefined;
  readonly #directories: Radix<SealedDirectory>;
  readonly #epoch: number = nextEpoch();
  readonly #pending: PendingContent = { extents: [], files: [] };
  /** Contents of files with several names, which are met once for each. */
  readonly #shared: Map<Ino, FileContent> = new Map();

  constructor(snapshot: TreeSnapshot, options: SealOptions) {
    this.#snapshot = snapshot;
    this.#previous = options.previous;
    this.#directories = options.previous?.directories.clone() ?? new Radix();
    this.batch = new ObjectBatch(options.sliceBytes ?? 1_048_576);
    this.plan = planSeal(snapshot, options.previous);
    for (const ino of this.plan.goneDirectories) this.#directories.delete(ino, this.#epoch);
  }

  /** Writes the pages of one directory that differ. Yields when the batch is full. */
  *sealDirectory(inode: Inode, names: ReadonlySet<ByteString>): Generator<void> {
    const before = this.#directories.get(inode.ino);
    const known = new Set(before?.groups.flatMap((group) => group.pages.map((page) => page.id)));
    const groups: SealedGroup[] = [];
    const has = (name: ByteString): boolean => (inode.entries?.get(name) ?? 0) !== 0;
    for (const group of planGroups(before?.groups ?? [], [...names].sort(), has)) {
      groups.push('pages' in group ? group : yield* this.#sealGroup(inode, group, known));
    }
    const pages = groups.flatMap((group) => group.pages);
    const [only] = pages;
    const single = only ? only.id : emptyDirectory.id;
    const index = pages.length > 1 ? storedObject(encodeDirectoryIndex(pages)) : undefined;
    if (index && index.id !== before?.id) this.batch.addObject(index);
    if (only === undefined && before?.id !== single) this.batch.addObject(emptyDirectory);
    const id = index?.id ?? single;
    this.#directories.set(inode.ino, { id, groups }, this.#epoch);
  }

  /** Writes hard links and the root. */
  finish(): SealedTree {
    const root = this.#snapshot.inodes.get(rootIno);
    const directory = this.#directories.get(rootIno)?.id;
    if (root === undefined || directory === undefined) throw new TypeError('A tree has a root');
    const keepsLinks = this.#previous !== undefined && !this.plan.linksChanged;
    const links = keepsLinks ? this.#previous.links : sealLinks(this.#snapshot, this.batch);
    const object = storedObject(encodeTreeRoot({ entry: { ...treeEntry(root, ''), directory }, links }));
    if (object.id !== this.#previous?.id) this.batch.addObject(object);
    return new SealedTree(object.id, {
      snapshot: this.#snapshot,
      directories: this.#directories,
      links,
      pending: this.#pending,
    });
  }

  *#sealGroup(
    holder: Inode,
    names: readonly ByteString[],
    known: ReadonlySet<ObjectId>,
  ): Generator<void, SealedGroup> {
    const entries: TreeEntry[] = [];
    for (const name of names) {
      const inode = this.#snapshot.inodes.get(holder.entries?.get(name) ?? 0);
      if (inode === undefined)
        throw new TypeError(`Directory ${holder.ino} names an inode that is not there`);
      const content = inode.extents || inode.content ? yield* this.#content(inode) : undefined;
      const directory = inode.entries && this.#directories.get(inode.ino)?.id;
      entries.push({ ...treeEntry(inode, name), content, directory });
    }
    this.encodedEntries += entries.length;
    const pages = encodePages(entries, directoryFormat);
    for (const page of pages) if (!known.has(page.object.id)) this.batch.addObject(page.object);
    if (this.batch.isFull) yield;
    return { names, pages: pages.map((page) => ({ first: page.first, id: page.object.id })) };
  }

  *#content(inode: Inode): Generator<void, FileContent> {
    const known = this.#shared.get(inode.ino);
    const content = known ?? (yield* sealFile(inode, this.batch, this.#pending));
    if (inode.otherLinks.length > 0) this.#shared.set(inode.ino, content);
    return content;
  }
}

function treeEntry(inode: Inode, name: ByteString): TreeEntry {
  return {
    name,
    mode: inode.mode,
    uid: inode.uid,
    gid: inode.gid,
    mtimeSeconds: inode.mtimeSeconds,
    mtimeNanoseconds: inode.mtimeNanoseconds,
    rdev: inode.rdev,
    sizeBytes: inode.fileBytes,
    content: undefined,
    directory: undefined,
    target: inode.target,
    xattrs: inode.xattrs,
  };
}

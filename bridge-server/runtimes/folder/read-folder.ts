import { type BigIntStats, readlinkSync } from 'node:fs';
import { SandboxError } from '../../../protocol/errors.ts';
import { type ByteString, readByteString } from '../../../tree/content/byte-string.ts';
import { isDirectory } from '../../../tree/live/file-mode.ts';
import type { Ino } from '../../../tree/live/file-tree.ts';
import type { LiveTree } from '../../../tree/live/live-tree.ts';
import { WorkSlices } from '../../../tree/next-task.ts';
import { EntryWriter } from './entry-writer.ts';
import { cannot, hostPath, isGone, isKept, isSameKind, looksSame, namesIn, statOf } from './folder-entry.ts';
import type { FolderRules } from './folder-rules.ts';
import { directoryMark, type LastLook } from './last-look.ts';
import { folderLimits } from './limits.ts';
import type { OpenFolder } from './open-folder.ts';
import { ContentReader, tooMuch } from './read-content.ts';
import { timesTellWrites } from './settle-files.ts';

export interface ReadOptions {
  readonly folder: OpenFolder;
  readonly rules: FolderRules;
  /** An earlier look at all of it: what has not been touched or moved since and looks the same is the same. */
  readonly since: LastLook;
}

/** What a look at a folder was. */
export interface FolderLook {
  /** Files, directories and links. */
  readonly entries: number;
  /** The paths in it that something is mounted at, which it has nothing of. */
  readonly mounts: readonly ByteString[];
  /** Marks of its directories (`LastLook`). */
  readonly directories: ReadonlySet<string>;
  /** Whether a later look need not compare again what has not been touched since this one began. */
  readonly isSettled: boolean;
}

/**
 * Makes the tree what is in a folder of the host: files, directories and links, with their permissions, owners and times. Sockets, pipes
 * and devices are left out, and so are extended attributes; each name of a file with several is a file of its own. Nothing at or below a mount is read:
 * the tree keeps what it has there, as it does of what the rules leave out.
 * @throws limit-exceeded, storage-full, forbidden, with what helps; busy where it is mounted to again and again
 */
export async function readFolder(tree: LiveTree, options: ReadOptions): Promise<FolderLook> {
  const before = tree.snapshot();
  for (let tries = 0; tries < folderLimits.looks; tries++) {
    const reader = new FolderReader(tree, options);
    await reader.read();
    // A file that was mounted meanwhile showed another one's size and time.
    const isWhole = [...options.folder.mounts()].every((path) => reader.mounts.has(path));
    if (isWhole && !reader.isDisturbed) {
      const { entries, mounts, directories, isSettled } = reader;
      return { entries, mounts: [...mounts].sort(), directories, isSettled };
    }
    tree.restore(before);
  }
  const message = 'Cannot read the folder: it is mounted to again and again. Do it again once that has ended';
  throw new SandboxError('busy', message);
}

class FolderReader {
  readonly mounts: Set<ByteString>;
  readonly directories = new Set<string>();
  /** Whether something was mounted where the tree has taken in what was there before. */
  isDisturbed = false;
  entries = 0;
  readonly #tree: LiveTree;
  readonly #options: ReadOptions;
  readonly #entries: EntryWriter;
  readonly #contents: ContentReader;
  readonly #comparesAll: boolean;
  readonly #slices = new WorkSlices();
  #sizeBytes = 0;

  constructor(tree: LiveTree, options: ReadOptions) {
    this.#tree = tree;
    this.#options = options;
    this.#entries = new EntryWriter(tree);
    this.#contents = new ContentReader(tree, options.folder);
    this.#comparesAll = !timesTellWrites(options.folder);
    this.mounts = new Set(options.folder.mounts());
  }

  get #changeCount(): number {
    return this.#entries.changes + this.#contents.changes;
  }

  get isSettled(): boolean {
    return this.#contents.isSettled;
  }

  async read(): Promise<void> {
    await this.#directory('', { ino: this.#tree.root, name: '', isLeaving: false, isMoved: false });
    this.#entries.setMetadata(this.#tree.root, this.#options.folder.stat());
  }

  /** False where the directory has gone. */
  async #directory(
    path: ByteString,
    { ino, isLeaving, isMoved: isMovedAbove }: ReadDirectory,
  ): Promise<boolean> {
    const { at, lacks } = this.#options.folder.directory(path);
    if (at === undefined) {
      this.isDisturbed ||= lacks === 'mount';
      return lacks === 'mount';
    }
    const isMoved = this.#isMoved(path, at) || isMovedAbove;
    const there = new Set<ByteString>();
    const directories: ReadDirectory[] = [];
    for (const name of namesIn(at, path || '.')) {
      const below = path === '' ? name : `${path}/${name}`;
      const stat = statOf(`${at}/${name}`, below);
      if (!stat) continue;
      const known = this.#tree.stat(this.#tree.lookup(ino, name));
      const leaves = isLeaving || this.#options.rules.isLeaving(below, { isDirectory: stat.isDirectory() });
      const isMount = this.#isMount(below, stat);
      if (isMount || this.#isLeftOut(below, { stat, isKnown: known !== undefined, leaves })) {
        // The rules may leave out a directory, and not the file that had its name.
        if (isMount || !known || isSameKind(known, stat)) there.add(name);
        continue;
      }
      if (!isKept(stat)) continue;
      this.#count(stat);
      const before = this.#changeCount;
      const child = await this.#entry(below, { at, directory: ino, name, stat, isMoved });
      if (child === undefined) continue;
      if (stat.isDirectory()) directories.push({ ino: child, name, isLeaving: leaves, isMoved });
      const isChanged = this.#changeCount > before;
      if (stat.isDirectory() || !leaves || this.#options.rules.staysOnce(below, { isChanged }))
        there.add(name);
      await this.#slices.end();
    }
    this.#removeOthers(path, { ino, there });
    // git writes objects first, and then what names them: read the other way round, no name is without its object.
    directories.sort((one, other) => Number(one.name === 'objects') - Number(other.name === 'objects'));
    for (const child of directories) {
      const below = path === '' ? child.name : `${path}/${child.name}`;
      const isThere = await this.#directory(below, child);
      const isLeft = child.isLeaving && this.#entries.names(child.ino).length === 0;
      if (!isThere || isLeft) this.#entries.remove(ino, child.name, child.ino);
    }
    return true;
  }

  /** Whether another directory has the path now. */
  #isMoved(path: ByteString, at: ByteString): boolean {
    if (this.#comparesAll) return true;
    const mark = directoryMark(path, at);
    this.directories.add(mark);
    return !this.#options.since.directories.has(mark);
  }

  #isMount(path: ByteString, stat: BigIntStats): boolean {
    const isMount = this.mounts.has(path) || !this.#options.folder.owns(stat);
    if (isMount) this.mounts.add(path);
    return isMount;
  }

  #isLeftOut(path: ByteString, { stat, isKnown, leaves }: FoundName): boolean {
    if (leaves && !isKnown) return true;
    return this.#options.rules.isLeftOut(path, { isDirectory: stat.isDirectory(), isKnown });
  }

  /** Names that are in the tree alone, but for those that are not looked at. */
  #removeOthers(
    path: ByteString,
    { ino, there }: { readonly ino: Ino; readonly there: ReadonlySet<ByteString> },
  ): void {
    for (const [name, child] of this.#entries.names(ino)) {
      if (there.has(name)) continue;
      const below = path === '' ? name : `${path}/${name}`;
      const kind = { isDirectory: isDirectory(this.#tree.stat(child)?.mode ?? 0), isKnown: true };
      if (!this.#options.rules.isLeftOut(below, kind)) this.#entries.remove(ino, name, child);
    }
  }

  /** Brings one name up to date; nothing where the file has gone in the meantime. */
  async #entry(
    path: ByteString,
    { at, directory, name, stat, isMoved }: FoundEntry,
  ): Promise<Ino | undefined> {
    const where = `${at}/${name}`;
    const target = stat.isSymbolicLink() ? this.#target(path, where) : '';
    if (target === undefined) return undefined;
    const before = this.#tree.lookup(directory, name);
    const inode = this.#tree.stat(before);
    const stays = inode !== undefined && isSameKind(inode, stat) && (inode.target ?? '') === target;
    if (inode && !stays) this.#entries.remove(directory, name, before);
    const ino = stays ? before : this.#entries.create(path, { directory, name, stat, target });
    const isUntouched =
      stays &&
      !isMoved &&
      looksSame(stat, inode) &&
      Number(stat.ctimeMs) < this.#options.since.beganMs - folderLimits.clockSlackMs;
    if (stat.isFile() && !isUntouched) {
      const found = await this.#contents.read(path, { where, ino });
      this.isDisturbed ||= found === 'mount';
      if (found !== 'read') {
        this.#entries.remove(directory, name, ino);
        return undefined;
      }
    }
    this.#entries.setMetadata(ino, stat);
    return ino;
  }

  #target(path: ByteString, where: ByteString): ByteString | undefined {
    try {
      const target = readlinkSync(hostPath(where), { encoding: 'buffer' });
      return readByteString(target, 0, target.length);
    } catch (error) {
      if (isGone(error)) return undefined;
      throw cannot('read', path, error);
    }
  }

  #count({ size }: BigIntStats): void {
    this.entries += 1;
    if (this.entries > folderLimits.entries) throw tooMuch(`more than ${folderLimits.entries} files`);
    this.#sizeBytes += Number(size);
    if (this.#sizeBytes > folderLimits.sizeBytes) {
      throw tooMuch(`files of more than ${folderLimits.sizeBytes / 1_073_741_824} GiB, with their holes`);
    }
  }
}

interface ReadDirectory {
  readonly ino: Ino;
  readonly name: ByteString;
  /** The rules leave it out from now on, and what is in it. */
  readonly isLeaving: boolean;
  /** A directory above is another one than at the look before. */
  readonly isMoved: boolean;
}

interface FoundName {
  readonly stat: BigIntStats;
  readonly isKnown: boolean;
  readonly leaves: boolean;
}

interface FoundEntry {
  /** Where the names of its directory are reached. */
  readonly at: ByteString;
  readonly directory: Ino;
  readonly name: ByteString;
  readonly stat: BigIntStats;
  /** Whether its times may be of another place. */
  readonly isMoved: boolean;
}

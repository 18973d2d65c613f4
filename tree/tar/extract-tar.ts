import type { ByteString } from '../content/byte-string.ts';
import { toDisplayText } from '../content/byte-string.ts';
import { makeDevice } from '../live/device-number.ts';
import { errno } from '../live/errno.ts';
import { fileMode, isDirectory } from '../live/file-mode.ts';
import type { FileTree, Ino, Timestamp } from '../live/file-tree.ts';
import { resolveBytes } from '../live/resolve-path.ts';
import type { TarEntry, TarType } from './tar-entry.ts';
import { TarParser } from './tar-parser.ts';

const typeBits: Record<Exclude<TarType, 'hardLink'>, number> = {
  file: fileMode.file,
  symlink: fileMode.symlink,
  characterDevice: fileMode.characterDevice,
  blockDevice: fileMode.blockDevice,
  directory: fileMode.directory,
  fifo: fileMode.fifo,
};

export interface ExtractTarOptions {
  /** Refuses an archive with more members. Default 2,000,000. */
  readonly maxEntries?: number;
  /** Refuses an archive with more file data. Default 16 GiB; the tree's own size is a limit too. */
  readonly maxBytes?: number;
  /** What to extract; all when absent. */
  readonly filter?: (entry: TarEntry) => boolean;
}

/**
 * Extracts an archive into a tree from pieces as they come. A leading `/` or `./` is dropped; a member with `..` in
 * its path is refused; symlinks on the way are followed inside the tree, which no member can leave. Existing files
 * are replaced, directories are merged.
 */
export class TarExtractor {
  readonly #tree: FileTree;
  readonly #options: ExtractTarOptions;
  readonly #parser: TarParser;
  /** A directory's time changes with each new member, so these times are set at the end. */
  readonly #directoryTimes: Map<Ino, Timestamp> = new Map();
  #file: { readonly ino: Ino; readonly entry: TarEntry; offset: number } | undefined;
  #endsInHole = false;
  #entries = 0;
  #bytes = 0;

  constructor(tree: FileTree, options: ExtractTarOptions = {}) {
    this.#tree = tree;
    this.#options = options;
    this.#parser = new TarParser({
      entry: (entry) => this.#start(entry),
      data: (bytes) => this.#write(bytes),
      end: () => this.#finish(),
    });
  }

  /** Members so far. */
  get entries(): number {
    return this.#entries;
  }

  /** @throws RangeError naming the member that could not be extracted, and why */
  push(piece: Uint8Array): void {
    this.#parser.push(piece);
  }

  /** Sets the times of directories. @throws RangeError when the archive ends early */
  end(): { entries: number; bytes: number } {
    this.#parser.end();
    for (const [ino, mtime] of this.#directoryTimes) this.#tree.setAttributes(ino, { mtime });
    return { entries: this.#entries, bytes: this.#bytes };
  }

  #start(entry: TarEntry): void {
    this.#entries += 1;
    this.#bytes += entry.sizeBytes;
    const { maxEntries = 2_000_000, maxBytes = 2 ** 34, filter } = this.#options;
    if (this.#entries > maxEntries)
      throw new RangeError(`Cannot extract tar: more than ${maxEntries} members`);
    if (this.#bytes > maxBytes) {
      const path = toDisplayText(entry.path);
      throw new RangeError(`Cannot extract tar: with "${path}" it has more than ${maxBytes} bytes`);
    }
    if (filter && !filter(entry)) return;
    const names = memberNames(entry, entry.path);
    const name = names.pop();
    const directory = this.#directory(entry, names);
    if (name === undefined) {
      this.#update(entry, this.#tree.root);
      return;
    }
    const existing = this.#tree.lookup(directory, name);
    if (entry.type === 'directory' && existing !== 0) {
      const found = resolveBytes(this.#tree, [...names, name].join('/'));
      const ino = typeof found === 'number' ? 0 : found.ino;
      if (!isDirectory(this.#tree.stat(ino)?.mode ?? 0))
        throw refusal(entry, 'something else is in its place');
      // A symlink to a directory stays one, as with dpkg; it keeps its own times and owner.
      if (ino === existing) this.#update(entry, ino);
      return;
    }
    const source = entry.type === 'hardLink' ? this.#linkSource(entry) : 0;
    if (source !== 0 && source === existing) return;
    if (existing !== 0) check(entry, this.#tree.unlink(directory, name));
    if (source !== 0) check(entry, this.#tree.link(source, directory, name));
    else this.#create(entry, directory, name);
  }

  #create(entry: TarEntry, directory: Ino, name: ByteString): void {
    if (entry.type === 'hardLink') return;
    const ino = this.#tree.create(directory, name, {
      mode: typeBits[entry.type] | (entry.type === 'symlink' ? 0o777 : entry.permissions),
      uid: entry.uid,
      gid: entry.gid,
      rdev: makeDevice(entry.major, entry.minor),
      target: entry.linkPath,
    });
    check(entry, ino);
    this.#endsInHole = false;
    if (entry.type === 'file') this.#file = { ino, entry, offset: 0 };
    this.#update(entry, ino);
  }

  /** Sets all attributes that the archive has of an inode. */
  #update(entry: TarEntry, ino: Ino): void {
    const { uid, gid, permissions } = entry;
    const mtime = { seconds: entry.mtimeSeconds, nanoseconds: entry.mtimeNanoseconds };
    const kept = entry.type === 'symlink' ? {} : { permissions };
    check(entry, this.#tree.setAttributes(ino, { uid, gid, mtime, ...kept }));
    for (const [name, value] of entry.xattrs) check(entry, this.#tree.setXattr(ino, name, value));
    if (entry.type === 'directory') this.#directoryTimes.set(ino, mtime);
  }

  #write(bytes: Uint8Array): void {
    if (this.#file === undefined) return;
    const { ino, entry, offset } = this.#file;
    // A hole that was read as zeros becomes a hole again: a tree in memory would hold all of it.
    this.#endsInHole = isZero(bytes);
    if (!this.#endsInHole) check(entry, this.#tree.write(ino, offset, bytes));
    this.#file.offset += bytes.length;
  }

  #finish(): void {
    if (this.#file) {
      const { ino, entry } = this.#file;
      if (this.#endsInHole) check(entry, this.#tree.truncate(ino, entry.sizeBytes));
      const mtime = { seconds: entry.mtimeSeconds, nanoseconds: entry.mtimeNanoseconds };
      check(entry, this.#tree.setAttributes(ino, { mtime }));
    }
    this.#file = undefined;
  }

  /** The directory that `names` lead to; those that are missing are made, as `mkdir -p` does. */
  #directory(entry: TarEntry, names: readonly ByteString[]): Ino {
    let at = this.#tree.root;
    for (const [index, name] of names.entries()) {
      const next = this.#tree.lookup(at, name);
      if (next === 0) {
        const made = this.#tree.create(at, name, { mode: fileMode.directory | 0o755, uid: 0, gid: 0 });
        check(entry, made);
        at = made;
        continue;
      }
      if (isDirectory(this.#tree.stat(next)?.mode ?? 0)) {
        at = next;
        continue;
      }
      // Only a symlink may lead elsewhere, from the root on.
      const found = resolveBytes(this.#tree, names.slice(0, index + 1).join('/'));
      at = typeof found === 'number' ? 0 : found.ino;
      if (!isDirectory(this.#tree.stat(at)?.mode ?? 0)) {
        throw refusal(entry, `"${toDisplayText(name)}" on its way is not a directory`);
      }
    }
    return at;
  }

  #linkSource(entry: TarEntry): Ino {
    const names = memberNames(entry, entry.linkPath);
    const found = resolveBytes(this.#tree, names.join('/'), { followLast: false });
    if (typeof found === 'number' || found.ino === 0)
      throw refusal(entry, 'the file that it links to is missing');
    return found.ino;
  }
}

function isZero(bytes: Uint8Array): boolean {
  if (bytes[bytes.length - 1] !== 0) return false;
  return bytes.every((byte) => byte === 0);
}

/** The whole archive at once. @throws RangeError as `TarExtractor` */
export function extractTar(
  tree: FileTree,
  pieces: Iterable<Uint8Array>,
  options: ExtractTarOptions = {},
): { entries: number; bytes: number } {
  const extractor = new TarExtractor(tree, options);
  for (const piece of pieces) extractor.push(piece);
  return extractor.end();
}

function memberNames(entry: TarEntry, path: ByteString): ByteString[] {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) throw refusal(entry, 'its path has ".." in it');
  return names;
}

function check(entry: TarEntry, result: number): void {
  if (result >= 0) return;
  const name = Object.entries(errno).find(([, value]) => value === -result)?.[0] ?? String(result);
  throw refusal(entry, name);
}

function refusal(entry: TarEntry, why: string): RangeError {
  return new RangeError(`Cannot extract tar member "${toDisplayText(entry.path).slice(0, 200)}": ${why}`);
}

import { type BigIntStats, closeSync, readlinkSync, readSync } from 'node:fs';
import { SandboxError } from '../../../protocol/errors.ts';
import { type ByteString, readByteString } from '../../../tree/content/byte-string.ts';
import { fileMode, isDirectory, isFile, isSymlink } from '../../../tree/live/file-mode.ts';
import type { Ino, InodeView } from '../../../tree/live/file-tree.ts';
import type { LiveTree } from '../../../tree/live/live-tree.ts';
import { WorkSlices } from '../../../tree/next-task.ts';
import { checkTree } from '../../roots/collect/check-tree.ts';
import {
  cannot,
  hostPath,
  isGone,
  isSameTime,
  looksSame,
  mtimeOf,
  namesIn,
  openToRead,
  statOf,
} from './folder-entry.ts';
import type { IgnoreRules } from './ignore-rules.ts';
import { folderLimits } from './limits.ts';

export interface ReadOptions {
  readonly folder: ByteString;
  readonly isIgnored: IgnoreRules;
  /** When an earlier look at all of it began: what has not been touched since and looks the same is the same. */
  readonly sinceMs: number;
}

/**
 * Makes the tree what is in a folder of the host: files, directories and links, with their permissions, owners and times. Sockets, pipes
 * and devices are left out, and so are extended attributes; each name of a file with several is a file of its own.
 * @throws limit-exceeded, storage-full, forbidden, with what helps
 */
export async function readFolder(tree: LiveTree, options: ReadOptions): Promise<void> {
  await new FolderReader(tree, options).read();
}

class FolderReader {
  readonly #tree: LiveTree;
  readonly #options: ReadOptions;
  readonly #slices = new WorkSlices();
  readonly #now = Buffer.allocUnsafe(folderLimits.pieceBytes);
  readonly #before = Buffer.allocUnsafe(folderLimits.pieceBytes);
  #entries = 0;
  #readBytes = 0;

  constructor(tree: LiveTree, options: ReadOptions) {
    this.#tree = tree;
    this.#options = options;
  }

  async read(): Promise<void> {
    const stat = statOf(this.#options.folder);
    if (!stat?.isDirectory()) {
      throw new SandboxError('not-found', 'Cannot take a snapshot: the folder is no longer there');
    }
    await this.#directory('', this.#tree.root);
    this.#setMetadata(this.#tree.root, stat);
  }

  async #directory(path: ByteString, ino: Ino): Promise<void> {
    const there = new Set<ByteString>();
    for (const name of namesIn(this.#hostPath(path))) {
      const below = path === '' ? name : `${path}/${name}`;
      const stat = statOf(this.#hostPath(below));
      if (!stat || !isKept(stat)) continue;
      if (this.#options.isIgnored(below, { isDirectory: stat.isDirectory() })) continue;
      this.#count();
      const child = this.#entry(below, { directory: ino, name, stat });
      if (child === undefined) continue;
      there.add(name);
      if (stat.isDirectory()) await this.#directory(below, child);
      await this.#slices.end();
    }
    for (const [name, child] of this.#names(ino)) if (!there.has(name)) this.#remove(ino, name, child);
  }

  /** Brings one name up to date; nothing where the file has gone in the meantime. */
  #entry(
    path: ByteString,
    {
      directory,
      name,
      stat,
    }: { readonly directory: Ino; readonly name: ByteString; readonly stat: BigIntStats },
  ): Ino | undefined {
    const target = stat.isSymbolicLink() ? this.#target(path) : '';
    if (target === undefined) return undefined;
    const before = this.#tree.lookup(directory, name);
    const inode = this.#tree.stat(before);
    const stays = inode !== undefined && isSameKind(inode, stat) && (inode.target ?? '') === target;
    if (inode && !stays) this.#remove(directory, name, before);
    const made = { mode: Number(stat.mode), uid: Number(stat.uid), gid: Number(stat.gid), target };
    const ino = stays ? before : checkTree(this.#tree.create(directory, name, made), 'a file');
    const isUntouched =
      stays &&
      looksSame(stat, inode) &&
      Number(stat.ctimeMs) < this.#options.sinceMs - folderLimits.clockSlackMs;
    if (stat.isFile() && !isUntouched && !this.#content(path, ino)) {
      this.#remove(directory, name, ino);
      return undefined;
    }
    this.#setMetadata(ino, stat);
    return ino;
  }

  #target(path: ByteString): ByteString | undefined {
    try {
      const target = readlinkSync(hostPath(this.#hostPath(path)), { encoding: 'buffer' });
      return readByteString(target, 0, target.length);
    } catch (error) {
      if (isGone(error)) return undefined;
      throw cannot('read', path, error);
    }
  }

  /** Makes the content of `ino` that of the file at `path`; false where the file has gone. */
  #content(path: ByteString, ino: Ino): boolean {
    const file = openToRead(this.#hostPath(path));
    if (file === undefined) return false;
    try {
      let at = 0;
      for (let size = 1; size > 0; at += size) {
        size = readSync(file, this.#now, 0, this.#now.length, at);
        this.#countBytes(size);
        if (size > 0) this.#piece(ino, at, this.#now.subarray(0, size));
      }
      checkTree(this.#tree.truncate(ino, at), 'a file');
      return true;
    } catch (error) {
      throw error instanceof SandboxError ? error : cannot('read', path, error);
    } finally {
      closeSync(file);
    }
  }

  #piece(ino: Ino, at: number, bytes: Uint8Array): void {
    const before = this.#before.subarray(0, bytes.length);
    const had = checkTree(this.#tree.read(ino, at, before), 'a file');
    if (had === bytes.length && before.equals(bytes)) return;
    checkTree(this.#tree.write(ino, at, bytes), 'a file');
  }

  #setMetadata(ino: Ino, stat: BigIntStats): void {
    const inode = this.#tree.stat(ino);
    if (!inode) return;
    const [permissions, uid, gid] = [
      Number(stat.mode) & fileMode.permissions,
      Number(stat.uid),
      Number(stat.gid),
    ];
    const isOwn = inode.uid === uid && inode.gid === gid;
    const hasPermissions = isSymlink(inode.mode) || (inode.mode & fileMode.permissions) === permissions;
    // Directories change with each name in them: the names are what counts.
    const hasTime = isDirectory(inode.mode) || isSameTime(stat, inode);
    if (isOwn && hasPermissions && hasTime) return;
    const change = {
      ...(isOwn ? {} : { uid, gid }),
      ...(hasPermissions ? {} : { permissions }),
      ...(hasTime ? {} : { mtime: mtimeOf(stat) }),
    };
    checkTree(this.#tree.setAttributes(ino, change), 'metadata');
  }

  #names(directory: Ino): [ByteString, Ino][] {
    const names: [ByteString, Ino][] = [];
    this.#tree.readdir(directory, 0, (name, ino) => Boolean(names.push([name, ino])));
    return names;
  }

  #remove(directory: Ino, name: ByteString, ino: Ino): void {
    if (!isDirectory(this.#tree.stat(ino)?.mode ?? 0)) {
      checkTree(this.#tree.unlink(directory, name), 'a removal');
      return;
    }
    for (const [child, childIno] of this.#names(ino)) this.#remove(ino, child, childIno);
    checkTree(this.#tree.rmdir(directory, name), 'a removal');
  }

  #hostPath(path: ByteString): ByteString {
    return path === '' ? this.#options.folder : `${this.#options.folder}/${path}`;
  }

  #count(): void {
    this.#entries += 1;
    if (this.#entries > folderLimits.entries) throw tooMuch(`more than ${folderLimits.entries} files`);
  }

  #countBytes(size: number): void {
    this.#readBytes += size;
    if (this.#readBytes > folderLimits.readBytes) {
      throw tooMuch(`more than ${folderLimits.readBytes / 1_048_576} MiB that are new at once`);
    }
  }
}

function isKept(stat: BigIntStats): boolean {
  return stat.isFile() || stat.isDirectory() || stat.isSymbolicLink();
}

function isSameKind(inode: InodeView, stat: BigIntStats): boolean {
  if (stat.isFile()) return isFile(inode.mode);
  return stat.isDirectory() ? isDirectory(inode.mode) : isSymlink(inode.mode);
}

function tooMuch(what: string): SandboxError {
  const message = `Cannot take a snapshot of the folder: it has ${what}. Name what need not be kept in .coppiceignore`;
  return new SandboxError('limit-exceeded', message);
}

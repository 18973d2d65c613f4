import { fileMode, isDirectory, isFile } from '../../tree/live/file-mode.ts';
import type { Ino, InodeView, Timestamp } from '../../tree/live/file-tree.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import { pathOfLink, pathsOf } from '../../tree/live/paths.ts';
import { setGroupId, withoutSetId } from '../../tree/ninep/set-id.ts';
import type { OpenFile } from '../io/open-file.ts';
import { shellLimits } from '../limits.ts';
import { ShellError, ShellLimitError } from '../shell-error.ts';
import type { ShellText } from '../text.ts';
import { withoutSlash } from './absolute-path.ts';
import { nameOfText, textOfName } from './byte-names.ts';
import { deviceNames, openDevice } from './devices.ts';
import { type FoundFile, findFile } from './find-file.ts';
import { OpenDirectory, OpenTreeFile } from './open-tree-file.ts';
import { checked } from './tree-result.ts';

export { absolutePath } from './absolute-path.ts';

/** What a process is to the files that it makes. */
export interface FileCreator {
  readonly uid: number;
  readonly gid: number;
  readonly umask: number;
}

export interface OpenFlags {
  readonly read?: boolean;
  readonly write?: boolean;
  readonly append?: boolean;
  readonly create?: boolean;
  readonly truncate?: boolean;
  /** Fails where a file is there. */
  readonly exclusive?: boolean;
}

type FoundInode = Extract<FoundFile, { type: 'inode' }>;

/**
 * A live tree by paths, as Linux's system calls have it. Paths are absolute text. `/dev/null`, `/dev/zero`,
 * `/dev/full`, `/dev/random` and `/dev/urandom` are there whatever the tree has; `/dev/tty`, `/dev/fd` and
 * `/dev/stdin` are too, but what they lead to is the process's to open. It knows no permissions: as root. Every
 * method throws a `ShellError`.
 */
export class TreeFiles {
  readonly #tree: LiveTree;

  constructor(tree: LiveTree) {
    this.#tree = tree;
  }

  get tree(): LiveTree {
    return this.#tree;
  }

  /** Held once: to be released. Nothing is done by it once `signal` is aborted. @throws ShellError */
  open(path: ShellText, flags: OpenFlags, creator: FileCreator, signal?: AbortSignal): OpenFile {
    const writes = Boolean(flags.write || flags.append);
    if (flags.create && flags.exclusive && this.#isThere(path)) throw new ShellError('EEXIST');
    const found = findFile(this.tree, this.#toCreate(path, flags), {
      followLast: true,
    });
    if (found.type === 'device') return openDevice(found.device);
    if (found.type === 'made') return this.#openMade(path, found.inode);
    const ino = found.ino === 0 ? this.#createFile(path, { found, flags, creator }) : found.ino;
    const inode = this.#inode(ino);
    if (isDirectory(inode.mode)) {
      if (writes || flags.create || flags.truncate) throw new ShellError('EISDIR');
      return new OpenDirectory(path);
    }
    if (!isFile(inode.mode)) throw new ShellError('EOPNOTSUPP');
    if (writes && this.tree.readOnly) throw new ShellError('EROFS');
    if (flags.truncate) this.#empty(inode);
    const isReadable = flags.read ?? !writes;
    return new OpenTreeFile(this.tree, ino, {
      path,
      isReadable,
      isWritable: writes,
      appends: flags.append ?? false,
      signal,
    });
  }

  /** Follows a link. */
  stat(path: ShellText): InodeView {
    return this.#view(path, true);
  }

  lstat(path: ShellText): InodeView {
    return this.#view(path, false);
  }

  /** Follows a link. */
  exists(path: ShellText): boolean {
    return this.#isThere(path, true);
  }

  /** Without `.` and `..`, in the tree's order. */
  readdir(path: ShellText): readonly ShellText[] {
    const found = findFile(this.tree, path, { followLast: true });
    if (found.type === 'device') throw new ShellError('ENOTDIR');
    if (found.type === 'made') {
      if (!isDirectory(found.inode.mode)) throw new ShellError('ENOTDIR');
      return withoutSlash(path) === '/dev' ? deviceNames : [];
    }
    const names: ShellText[] = [];
    const ino = this.#existing(found);
    checked(
      this.tree.readdir(ino, 0, (name) => {
        names.push(textOfName(name));
        return true;
      }),
    );
    return withoutSlash(path) === '/dev' ? [...new Set([...names, ...deviceNames])] : names;
  }

  /** @throws ShellLimitError of a file that has more than `shellLimits.inputBytes` */
  readFile(path: ShellText): Uint8Array {
    const found = findFile(this.tree, path, { followLast: true });
    if (found.type === 'device') return new Uint8Array(0);
    if (found.type === 'made') throw new ShellError(isDirectory(found.inode.mode) ? 'EISDIR' : 'ENOENT');
    const inode = this.#inode(this.#existing(found));
    if (isDirectory(inode.mode)) throw new ShellError('EISDIR');
    if (inode.sizeBytes > shellLimits.inputBytes) {
      throw new ShellLimitError('inputBytes', `${path} has more than ${shellLimits.inputBytes} bytes`);
    }
    const bytes = new Uint8Array(inode.sizeBytes);
    checked(this.tree.read(inode.ino, 0, bytes));
    return bytes;
  }

  writeFile(path: ShellText, bytes: Uint8Array, creator: FileCreator): void {
    const file = this.open(path, { write: true, create: true, truncate: true }, creator);
    try {
      if (file instanceof OpenTreeFile) checked(this.tree.write(file.ino, 0, bytes));
    } finally {
      file.release();
    }
  }

  mkdir(path: ShellText, creator: FileCreator, mode = 0o777): void {
    const found = this.#place(path);
    if (found.ino !== 0) throw new ShellError('EEXIST');
    this.#create(found, {
      mode: fileMode.directory | (mode & 0o1777 & ~creator.umask),
      creator,
    });
  }

  /** Makes a named pipe, a socket or a device: a node that Linux would open. */
  mknod(path: ShellText, creator: FileCreator, { mode, rdev = 0 }: { mode: number; rdev?: number }): void {
    const found = this.#place(path);
    if (found.ino !== 0) throw new ShellError('EEXIST');
    this.#create(found, { mode: mode & ~creator.umask, creator, rdev });
  }

  unlink(path: ShellText): void {
    const found = this.#entry(path);
    if (path.endsWith('/') && !isDirectory(this.#inode(found.ino).mode)) throw new ShellError('ENOTDIR');
    checked(this.tree.unlink(found.directory, found.name));
  }

  rmdir(path: ShellText): void {
    const found = this.#entry(path);
    checked(this.tree.rmdir(found.directory, found.name));
  }

  rename(path: ShellText, to: ShellText): void {
    const from = this.#entry(path);
    const target = this.#place(to);
    const isDirectoryPath = path.endsWith('/') || to.endsWith('/');
    if (isDirectoryPath && !isDirectory(this.#inode(from.ino).mode)) throw new ShellError('ENOTDIR');
    if (target.name === '') throw new ShellError('EBUSY');
    checked(this.tree.rename(from.directory, from.name, target.directory, target.name));
  }

  /** A link is linked itself, not what it leads to. */
  link(path: ShellText, to: ShellText): void {
    const from = this.#entry(path);
    const target = this.#place(to);
    if (target.ino !== 0) throw new ShellError('EEXIST');
    if (to.endsWith('/')) throw new ShellError('ENOENT');
    checked(this.tree.link(from.ino, target.directory, target.name));
  }

  symlink(target: ShellText, path: ShellText, creator: FileCreator): void {
    const found = this.#place(path);
    if (found.ino !== 0) throw new ShellError('EEXIST');
    if (path.endsWith('/') || target === '') throw new ShellError('ENOENT');
    this.#create(found, {
      mode: fileMode.symlink | 0o777,
      creator,
      target: nameOfText(target),
    });
  }

  readlink(path: ShellText): ShellText {
    const { target } = this.lstat(path);
    if (target === undefined) throw new ShellError('EINVAL');
    return textOfName(target);
  }

  /** Without links, `.` and `..`. @throws ENOENT */
  realpath(path: ShellText): ShellText {
    const found = findFile(this.tree, path, { followLast: true });
    if (found.type === 'device') return `/dev/${found.device.name}`;
    if (found.type === 'made') return withoutSlash(path);
    const ino = this.#existing(found);
    const find = (number: Ino) => this.tree.inode(number);
    const { directory, name } = found;
    const real = name === '' ? pathsOf(ino, find)[0] : pathOfLink({ parent: directory, name }, find);
    if (real === undefined) throw new ShellError('ENOENT');
    return textOfName(real);
  }

  truncate(path: ShellText, sizeBytes: number): void {
    const ino = this.#changed(path, true);
    if (ino !== undefined) checked(this.tree.truncate(ino, sizeBytes));
  }

  /** Follow a link unless `follow` is false. */
  chmod(path: ShellText, permissions: number): void {
    const ino = this.#changed(path, true);
    if (ino !== undefined) checked(this.tree.setAttributes(ino, { permissions }));
  }

  chown(path: ShellText, owner: { uid?: number; gid?: number; follow?: boolean }): void {
    const ino = this.#changed(path, owner.follow ?? true);
    if (ino === undefined) return;
    const { mode } = this.#inode(ino);
    checked(
      this.tree.setAttributes(ino, {
        ...(owner.uid !== undefined && { uid: owner.uid }),
        ...(owner.gid !== undefined && { gid: owner.gid }),
        ...(isFile(mode) && { permissions: withoutSetId(mode) }),
      }),
    );
  }

  utimes(
    path: ShellText,
    times: {
      atime?: Timestamp | 'now';
      mtime?: Timestamp | 'now';
      follow?: boolean;
    },
  ): void {
    const ino = this.#changed(path, times.follow ?? true);
    if (ino === undefined) return;
    checked(
      this.tree.setAttributes(ino, {
        ...(times.atime && { atime: times.atime }),
        ...(times.mtime && { mtime: times.mtime }),
      }),
    );
  }

  #view(path: ShellText, followLast: boolean): InodeView {
    const found = findFile(this.tree, path, { followLast });
    if (found.type === 'device') return found.device.inode;
    if (found.type === 'made') return found.inode;
    return this.#inode(this.#existing(found));
  }

  #openMade(path: ShellText, inode: InodeView): OpenFile {
    if (!isDirectory(inode.mode)) throw new ShellError('ENOENT');
    return new OpenDirectory(path);
  }

  #isThere(path: ShellText, followLast = false): boolean {
    try {
      this.#view(path, followLast);
      return true;
    } catch {
      return false;
    }
  }

  #inode(ino: Ino): InodeView {
    const inode = this.tree.stat(ino);
    if (inode === undefined) throw new ShellError('ENOENT');
    return inode;
  }

  #existing({ ino }: FoundInode): Ino {
    if (ino === 0) throw new ShellError('ENOENT');
    return ino;
  }

  /** A path with a slash at its end is no file to be made. */
  #toCreate(path: ShellText, { create }: OpenFlags): ShellText {
    if (create && path.endsWith('/') && !this.exists(path)) throw new ShellError('EISDIR');
    return path;
  }

  #createFile(
    path: ShellText,
    { found, flags, creator }: { found: FoundInode; flags: OpenFlags; creator: FileCreator },
  ): Ino {
    if (!flags.create) throw new ShellError('ENOENT');
    if (path.endsWith('/')) throw new ShellError('EISDIR');
    return this.#create(found, {
      mode: fileMode.file | (0o666 & ~creator.umask),
      creator,
    });
  }

  /** What is made in a directory with a set-group-id gets its group, and a directory the bit too. */
  #create(
    { directory, name }: FoundInode,
    made: {
      mode: number;
      creator: FileCreator;
      target?: string;
      rdev?: number;
    },
  ): Ino {
    const holder = this.#inode(directory);
    const inherits = (holder.mode & setGroupId) !== 0;
    const passesOn = inherits && isDirectory(made.mode) ? setGroupId : 0;
    return checked(
      this.tree.create(directory, name, {
        mode: made.mode | passesOn,
        uid: made.creator.uid,
        gid: inherits ? holder.gid : made.creator.gid,
        ...(made.target !== undefined && { target: made.target }),
        ...(made.rdev !== undefined && { rdev: made.rdev }),
      }),
    );
  }

  /** As O_TRUNC, which moves the time of an empty file too. */
  #empty(inode: InodeView): void {
    if (inode.sizeBytes === 0) checked(this.tree.setAttributes(inode.ino, { mtime: 'now' }));
    else checked(this.tree.truncate(inode.ino, 0));
  }

  /** An existing directory entry. @throws ShellError EBUSY of the root, EPERM of a device */
  #entry(path: ShellText): FoundInode {
    const found = this.#place(path);
    this.#existing(found);
    if (found.name === '') throw new ShellError('EBUSY');
    return found;
  }

  /** Where a directory entry is, or would be. */
  #place(path: ShellText): FoundInode {
    const found = findFile(this.tree, withoutSlash(path), {
      followLast: false,
    });
    if (found.type === 'inode') return found;
    if (found.type === 'device') throw new ShellError('EEXIST');
    if (path.startsWith('/dev/')) throw new ShellError('EEXIST');
    return { type: 'inode', ino: 0, directory: this.tree.root, name: 'dev' };
  }

  /** The inode whose attributes change; `undefined` of a device, which has none to change. */
  #changed(path: ShellText, followLast: boolean): Ino | undefined {
    const found = findFile(this.tree, path, { followLast });
    return found.type === 'inode' ? this.#existing(found) : undefined;
  }
}

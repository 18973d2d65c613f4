import type { ByteString } from '../content/byte-string.ts';
import { majorOf, minorOf } from '../live/device-number.ts';
import { fileMode } from '../live/file-mode.ts';
import type { FileTree, Ino, InodeView } from '../live/file-tree.ts';
import { encodeTarHeader } from './encode-tar-header.ts';
import { type TarType, tarBlockBytes, tarTypeOf } from './tar-entry.ts';

const readBytes = 65_536;

/** What is written of a path: it with all below it, itself, or, of a directory, only what is below it. */
export type TarPart = 'whole' | 'itself' | 'below';

export interface WriteTarOptions {
  /** The directory to write; its own metadata goes into a member `./`. Default: the root. */
  readonly directory?: Ino;
  /** Leaves out fifos and devices, like sockets, for receivers that refuse them. */
  readonly isPlain?: boolean;
  /** By path, as in the archive (`.` is the directory): what of it is written. Without it, all. */
  readonly parts?: ReadonlyMap<ByteString, TarPart>;
  /** Called for each socket: tar has no type for it, so it is left out. */
  readonly onSkip?: (path: ByteString) => void;
}

/**
 * A directory as a pax archive, in pieces: names in the order of their bytes, hard links after their
 * file, nanosecond times and extended attributes kept. The tree must not change meanwhile; a
 * snapshot in a tree of its own does not.
 * @throws RangeError when a file cannot be read
 */
export function* writeTar(tree: FileTree, options: WriteTarOptions = {}): Generator<Uint8Array> {
  const written = new Map<Ino, ByteString>();
  const { parts } = options;
  const write = function* (ino: Ino, path: ByteString, part: TarPart): Generator<Uint8Array> {
    if (part === 'below') {
      yield* writeEntries(ino, path, part);
      return;
    }
    const inode = tree.stat(ino);
    const type = inode && tarTypeOf(inode.mode);
    if (inode === undefined || type === undefined || (options.isPlain && !isPlain(type))) {
      options.onSkip?.(path);
      return;
    }
    const first = type === 'directory' ? undefined : written.get(ino);
    yield encodeTarHeader({
      type: first === undefined ? type : 'hardLink',
      path: type === 'directory' ? `${path}/` : path,
      permissions: inode.mode & fileMode.permissions,
      uid: inode.uid,
      gid: inode.gid,
      mtimeSeconds: inode.mtimeSeconds,
      mtimeNanoseconds: inode.mtimeNanoseconds,
      sizeBytes: type === 'file' && first === undefined ? inode.sizeBytes : 0,
      linkPath: first ?? inode.target ?? '',
      major: majorOf(inode.rdev),
      minor: minorOf(inode.rdev),
      xattrs: first === undefined ? xattrsOf(tree, ino) : new Map(),
    });
    if (first !== undefined) return;
    if (inode.nlink > 1) written.set(ino, path);
    if (type === 'file') yield* fileData(tree, inode, path);
    if (type === 'directory') yield* writeEntries(ino, path, part);
  };
  const writeEntries = function* (ino: Ino, path: ByteString, part: TarPart): Generator<Uint8Array> {
    for (const [name, child] of sortedEntries(tree, ino)) {
      const childPath = path === '.' ? name : `${path}/${name}`;
      const childPart = part === 'whole' ? part : parts?.get(childPath);
      if (childPart) yield* write(child, childPath, childPart);
    }
  };
  yield* write(options.directory ?? tree.root, '.', parts ? (parts.get('.') ?? 'below') : 'whole');
  yield new Uint8Array(2 * tarBlockBytes);
}

function isPlain(type: TarType): boolean {
  return type === 'file' || type === 'directory' || type === 'symlink';
}

function* fileData(tree: FileTree, inode: InodeView, path: ByteString): Generator<Uint8Array> {
  const { ino, sizeBytes } = inode;
  for (let offset = 0; offset < sizeBytes; offset += readBytes) {
    const count = Math.min(readBytes, sizeBytes - offset);
    const bytes = new Uint8Array(Math.ceil(count / tarBlockBytes) * tarBlockBytes);
    if (tree.read(ino, offset, bytes.subarray(0, count)) !== count) {
      throw new RangeError(`Cannot write tar: "${path}" cannot be read at byte ${offset}`);
    }
    yield bytes;
  }
}

function xattrsOf(tree: FileTree, ino: Ino): Map<ByteString, Uint8Array> {
  const xattrs = new Map<ByteString, Uint8Array>();
  for (const name of tree.listXattrs(ino)) {
    const value = tree.getXattr(ino, name);
    if (value) xattrs.set(name, value);
  }
  return xattrs;
}

function sortedEntries(tree: FileTree, directory: Ino): [ByteString, Ino][] {
  const entries: [ByteString, Ino][] = [];
  tree.readdir(directory, 0, (name, ino) => {
    entries.push([name, ino]);
    return true;
  });
  return entries.sort((a, b) => (a[0] < b[0] ? -1 : 1));
}

import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { FileInfo, FileType } from '../../protocol/sandbox/files.ts';
import { type ByteString, toDisplayText } from '../../tree/content/byte-string.ts';
import { errno } from '../../tree/live/errno.ts';
import type { FileTree, Ino, InodeView } from '../../tree/live/file-tree.ts';
import { resolvePath } from '../../tree/live/resolve-path.ts';

const readAtOnceBytes = 1_048_576;

/** `st_mode >> 12`, from stat(2). */
const typeOfMode: Readonly<Record<number, FileType>> = {
  1: 'fifo',
  2: 'device',
  4: 'directory',
  6: 'device',
  8: 'file',
  10: 'symlink',
  12: 'socket',
};

/** The whole content of a file. @throws not-found, invalid-argument, limit-exceeded, missing-object */
export function readFile(tree: FileTree, path: string): Uint8Array {
  const inode = find(tree, path);
  if (typeOf(inode) !== 'file') throw fileError('read', path, { why: `it is a ${typeOf(inode)}` });
  if (inode.sizeBytes > limits.uploadBytes) {
    const why = `it has ${inode.sizeBytes} bytes, ${limits.uploadBytes} is the most`;
    throw new SandboxError('limit-exceeded', `Cannot read "${path}": ${why}`, { details: { path } });
  }
  const bytes = new Uint8Array(inode.sizeBytes);
  for (let at = 0; at < bytes.length; ) {
    const count = tree.read(inode.ino, at, bytes.subarray(at, at + readAtOnceBytes));
    if (count <= 0) throw readError(path);
    at += count;
  }
  return bytes;
}

/** The entries of a directory, sorted by name. @throws not-found, invalid-argument */
export function listFiles(tree: FileTree, path: string): FileInfo[] {
  const directory = find(tree, path);
  if (typeOf(directory) !== 'directory')
    throw fileError('list', path, { why: `it is a ${typeOf(directory)}` });
  const entries: FileInfo[] = [];
  const prefix = path.endsWith('/') ? path : `${path}/`;
  tree.readdir(directory.ino, 0, (name, ino) => {
    const inode = tree.stat(ino);
    if (inode) entries.push(toFileInfo(inode, { name, path: prefix + toDisplayText(name) }));
    return true;
  });
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The directory that a path leads to. @throws not-found, invalid-argument */
export function findDirectory(tree: FileTree, path: string): Ino {
  const inode = find(tree, path);
  if (typeOf(inode) === 'directory') return inode.ino;
  throw fileError('archive', path, { why: `it is a ${typeOf(inode)}` });
}

/** What `lstat` says. @throws not-found */
export function statFile(tree: FileTree, path: string): FileInfo {
  const inode = find(tree, path, { followLast: false });
  return toFileInfo(inode, { name: path.slice(path.lastIndexOf('/') + 1), path });
}

function find(tree: FileTree, path: string, options: { followLast?: boolean } = {}): InodeView {
  if (!path.startsWith('/')) throw fileError('open', path, { why: 'the path is not absolute' });
  const resolved = resolvePath(tree, path, options);
  const inode = typeof resolved === 'number' ? undefined : tree.stat(resolved.ino);
  if (inode) return inode;
  if (resolved === -errno.ELOOP) throw fileError('open', path, { why: 'too many symbolic links' });
  throw new SandboxError('not-found', `Cannot open "${path}": no such file or directory`, {
    details: { path },
  });
}

function toFileInfo(inode: InodeView, { name, path }: { name: ByteString; path: string }): FileInfo {
  return {
    path,
    name: toDisplayText(name),
    type: typeOf(inode),
    mode: inode.mode & 0o7777,
    uid: inode.uid,
    gid: inode.gid,
    sizeBytes: inode.sizeBytes,
    modifiedAtMs: inode.mtimeSeconds * 1000 + Math.floor(inode.mtimeNanoseconds / 1e6),
    target: inode.target === undefined ? undefined : toDisplayText(inode.target),
  };
}

function typeOf(inode: InodeView): FileType {
  return typeOfMode[inode.mode >>> 12] ?? 'file';
}

function fileError(verb: string, path: string, { why }: { why: string }): SandboxError {
  return new SandboxError('invalid-argument', `Cannot ${verb} "${path}": ${why}`, { details: { path } });
}

function readError(path: string): SandboxError {
  return new SandboxError(
    'missing-object',
    `Cannot read "${path}": part of its content is missing or damaged`,
    {
      details: { path },
    },
  );
}

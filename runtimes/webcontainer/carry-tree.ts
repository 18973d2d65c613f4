import type { FileSystemTree } from '@webcontainer/api';
import { SandboxError } from '../../protocol/errors.ts';
import { type ByteString, toByteString, toDisplayText } from '../../tree/content/byte-string.ts';
import { errno } from '../../tree/live/errno.ts';
import { fileMode, isDirectory, isFile, isSymlink } from '../../tree/live/file-mode.ts';
import type { FileTree, Ino, InodeView, Result } from '../../tree/live/file-tree.ts';
import { webcontainerLimits } from './limits.ts';

/** New files belong to the user of other runtimes. */
const owner = { uid: 1000, gid: 1000 };
const newFile: number = fileMode.file | 0o644;
const newDirectory: number = fileMode.directory | 0o755;

/**
 * The files of a tree as WebContainer mounts them. What it has no word for stays in the tree alone: owners, modes, times,
 * devices, and names that are not UTF-8. @throws limit-exceeded
 */
export function treeToMount(tree: FileTree): FileSystemTree {
  let bytes = 0;
  const directory = (ino: Ino): FileSystemTree => {
    const entries = Object.create(null) as FileSystemTree;
    for (const [name, child, inode] of carriedEntries(tree, ino)) {
      if (isDirectory(inode.mode)) entries[name] = { directory: directory(child) };
      else if (isSymlink(inode.mode))
        entries[name] = { file: { symlink: toDisplayText(inode.target ?? '') } };
      else {
        bytes += inode.sizeBytes;
        if (bytes > webcontainerLimits.treeBytes) throw tooLarge();
        entries[name] = { file: { contents: textOrBytes(readAll(tree, inode)) } };
      }
    }
    return entries;
  };
  return directory(tree.root);
}

/**
 * Brings a tree up to what WebContainer has. Files that are the same there stay as they are, modes and times included, and
 * what it does not carry stays where its directory does; a name of several links that was changed is a file of its own.
 * @throws storage-full
 */
export function readBack(tree: FileTree, mounted: FileSystemTree): void {
  const directory = (ino: Ino, entries: FileSystemTree): void => {
    for (const [name] of [...carriedEntries(tree, ino)]) {
      if (!Object.hasOwn(entries, name)) remove(tree, ino, toByteString(name));
    }
    for (const [name, node] of Object.entries(entries)) entry(ino, toByteString(name), node);
  };
  const entry = (parent: Ino, name: ByteString, node: FileSystemTree[string]): void => {
    const ino = tree.lookup(parent, name);
    const inode = ino === 0 ? undefined : tree.stat(ino);
    if ('directory' in node) {
      const isThere = inode !== undefined && isDirectory(inode.mode);
      if (inode && !isThere) remove(tree, parent, name);
      directory(
        isThere ? ino : check(tree.create(parent, name, { ...owner, mode: newDirectory })),
        node.directory,
      );
    } else if ('symlink' in node.file) {
      const target = toByteString(node.file.symlink);
      if (inode && isSymlink(inode.mode) && inode.target === target) return;
      if (inode) remove(tree, parent, name);
      check(tree.create(parent, name, { ...owner, mode: fileMode.symlink | 0o777, target }));
    } else file(parent, name, { inode, contents: node.file.contents });
  };
  const file = (
    parent: Ino,
    name: ByteString,
    { inode, contents }: { inode: InodeView | undefined; contents: string | Uint8Array },
  ): void => {
    const bytes = typeof contents === 'string' ? new TextEncoder().encode(contents) : contents;
    const isThere = inode !== undefined && isFile(inode.mode);
    if (isThere && isSame(tree, inode, bytes)) return;
    const { mode, uid, gid } = isThere ? inode : { ...owner, mode: newFile };
    if (inode && (!isThere || inode.nlink > 1)) remove(tree, parent, name);
    const ino =
      isThere && inode.nlink === 1 ? inode.ino : check(tree.create(parent, name, { mode, uid, gid }));
    check(tree.write(ino, 0, bytes));
    check(tree.truncate(ino, bytes.length));
  };
  directory(tree.root, mounted);
}

/** What of a directory WebContainer can have, by its text. */
function carriedEntries(tree: FileTree, directory: Ino): [string, Ino, InodeView][] {
  const entries: [string, Ino, InodeView][] = [];
  tree.readdir(directory, 0, (name, ino) => {
    const text = toDisplayText(name);
    const inode = tree.stat(ino);
    const isKnown = inode && (isDirectory(inode.mode) || isSymlink(inode.mode) || isFile(inode.mode));
    if (isKnown && toByteString(text) === name) entries.push([text, ino, inode]);
    return true;
  });
  return entries;
}

function remove(tree: FileTree, parent: Ino, name: ByteString): void {
  const ino = tree.lookup(parent, name);
  const inode = tree.stat(ino);
  if (!inode || !isDirectory(inode.mode)) {
    check(tree.unlink(parent, name));
    return;
  }
  const names: ByteString[] = [];
  tree.readdir(ino, 0, (child) => names.push(child) > 0);
  for (const child of names) remove(tree, ino, child);
  check(tree.rmdir(parent, name));
}

function isSame(tree: FileTree, inode: InodeView, bytes: Uint8Array): boolean {
  if (inode.sizeBytes !== bytes.length) return false;
  return readAll(tree, inode).every((byte, at) => byte === bytes[at]);
}

function readAll(tree: FileTree, { ino, sizeBytes }: InodeView): Uint8Array {
  const bytes = new Uint8Array(sizeBytes);
  check(tree.read(ino, 0, bytes));
  return bytes;
}

function textOrBytes(bytes: Uint8Array): string | Uint8Array {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes;
  }
}

function check(result: Result): number {
  if (result >= 0) return result;
  const isFull = result === -errno.ENOSPC;
  const message = isFull
    ? 'Cannot keep what WebContainer has: the disk is full'
    : `Cannot keep what WebContainer has: errno ${-result}`;
  throw new SandboxError(isFull ? 'storage-full' : 'internal', message);
}

function tooLarge(): SandboxError {
  const { treeBytes } = webcontainerLimits;
  return new SandboxError('limit-exceeded', `Cannot mount the files: they are more than ${treeBytes} bytes`, {
    details: { limitBytes: treeBytes },
  });
}

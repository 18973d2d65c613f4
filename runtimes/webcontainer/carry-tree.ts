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

/** A part of the files: what is mounted, or one that is too large for that, into a directory that was mounted before. */
type TreeMount =
  | { readonly type: 'tree'; readonly tree: FileSystemTree }
  | { readonly type: 'file'; readonly path: string; readonly bytes: Uint8Array };

/**
 * The files of a tree as WebContainer mounts them, in parts of some `mountBytes`. What it has no word for stays in the tree
 * alone: owners, modes, times, devices, and names that are not UTF-8. @throws limit-exceeded
 */
export function* mountsOf(tree: FileTree): Generator<TreeMount> {
  const { treeBytes, mountBytes } = webcontainerLimits;
  let bytes = 0;
  let part: FileSystemTree = emptyTree();
  let partBytes = 0;
  const next = (): TreeMount => {
    const mount = { type: 'tree', tree: part } as const;
    part = emptyTree();
    partBytes = 0;
    return mount;
  };
  function* below(ino: Ino, above: readonly string[]): Generator<TreeMount> {
    for (const [name, child, inode] of carriedEntries(tree, ino)) {
      const path = [...above, name];
      if (isDirectory(inode.mode)) {
        directoryIn(part, path);
        yield* below(child, path);
      } else if (isSymlink(inode.mode))
        directoryIn(part, above)[name] = { file: { symlink: toDisplayText(inode.target ?? '') } };
      else {
        bytes += inode.sizeBytes;
        if (bytes > treeBytes) throw tooLarge('mount the files');
        if (inode.sizeBytes > mountBytes) {
          directoryIn(part, above);
          yield next();
          yield { type: 'file', path: path.join('/'), bytes: readAll(tree, inode) };
          continue;
        }
        if (partBytes + inode.sizeBytes > mountBytes) yield next();
        partBytes += inode.sizeBytes;
        directoryIn(part, above)[name] = { file: { contents: textOrBytes(readAll(tree, inode)) } };
      }
    }
  }
  yield* below(tree.root, []);
  yield next();
}

function emptyTree(): FileSystemTree {
  return Object.create(null) as FileSystemTree;
}

/** The directory of that path, which is made where it is not there. */
function directoryIn(tree: FileSystemTree, path: readonly string[]): FileSystemTree {
  let here = tree;
  for (const name of path) {
    const node = here[name];
    const directory = node && 'directory' in node ? node.directory : emptyTree();
    here[name] = { directory };
    here = directory;
  }
  return here;
}

/**
 * Brings a tree up to what WebContainer has. Files that are the same there stay as they are, modes and times included, and
 * what it does not carry stays where its directory does; a name of several links that was changed is a file of its own, and
 * one that comes as another of its content goes has the mode and the owner of that.
 * @throws storage-full; limit-exceeded for more than could be mounted again, with the tree as it was
 */
export function readBack(tree: FileTree, mounted: FileSystemTree): void {
  if (contentBytes(mounted) > webcontainerLimits.treeBytes) throw tooLarge('keep the files');
  const lost = new LostFiles(tree, mounted);
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
    const { mode, uid, gid } = isThere ? inode : (lost.take(bytes) ?? { ...owner, mode: newFile });
    if (inode && (!isThere || inode.nlink > 1)) remove(tree, parent, name);
    const ino =
      isThere && inode.nlink === 1 ? inode.ino : check(tree.create(parent, name, { mode, uid, gid }));
    check(tree.write(ino, 0, bytes));
    check(tree.truncate(ino, bytes.length));
  };
  directory(tree.root, mounted);
}

/** Gives all of `from` to what has the same name in `to`: permissions, which a copy in WebContainer lacks. */
export function copyPermissions(
  tree: FileTree,
  { from, to }: { readonly from: Ino; readonly to: Ino },
): void {
  const [source, target] = [tree.stat(from), tree.stat(to)];
  if (!source || !target || isSymlink(source.mode) || isDirectory(source.mode) !== isDirectory(target.mode))
    return;
  check(tree.setAttributes(to, { permissions: source.mode & 0o7777 }));
  if (!isDirectory(source.mode)) return;
  for (const [name, child] of carriedEntries(tree, from)) {
    const copy = tree.lookup(to, toByteString(name));
    if (copy !== 0) copyPermissions(tree, { from: child, to: copy });
  }
}

type FileAttributes = Pick<InodeView, 'mode' | 'uid' | 'gid'>;

/** Files that WebContainer has no more where the tree has them, and that differ from new ones. */
class LostFiles {
  readonly #tree: FileTree;
  readonly #bySize = new Map<number, { readonly attributes: FileAttributes; readonly bytes: Uint8Array }[]>();

  constructor(tree: FileTree, mounted: FileSystemTree) {
    this.#tree = tree;
    this.#compare(tree.root, mounted);
  }

  /** One with that content, which is found no second time. */
  take(bytes: Uint8Array): FileAttributes | undefined {
    const files = this.#bySize.get(bytes.length) ?? [];
    const at = files.findIndex((file) => file.bytes.every((byte, index) => byte === bytes[index]));
    return at < 0 ? undefined : files.splice(at, 1)[0]?.attributes;
  }

  #compare(directory: Ino, mounted: FileSystemTree): void {
    for (const [name, ino, inode] of carriedEntries(this.#tree, directory)) {
      const node = Object.hasOwn(mounted, name) ? mounted[name] : undefined;
      if (isDirectory(inode.mode))
        this.#compare(ino, node && 'directory' in node ? node.directory : emptyTree());
      else if (isFile(inode.mode) && node === undefined && !isAsNew(inode)) this.#add(inode);
    }
  }

  #add(inode: InodeView): void {
    const files = this.#bySize.get(inode.sizeBytes) ?? [];
    const { mode, uid, gid } = inode;
    files.push({ attributes: { mode, uid, gid }, bytes: readAll(this.#tree, inode) });
    this.#bySize.set(inode.sizeBytes, files);
  }
}

function isAsNew({ mode, uid, gid }: InodeView): boolean {
  return mode === newFile && uid === owner.uid && gid === owner.gid;
}

function contentBytes(tree: FileSystemTree): number {
  let bytes = 0;
  for (const node of Object.values(tree)) {
    if ('directory' in node) bytes += contentBytes(node.directory);
    else if ('contents' in node.file)
      bytes +=
        typeof node.file.contents === 'string' ? utf8Bytes(node.file.contents) : node.file.contents.length;
  }
  return bytes;
}

function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length;
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

function tooLarge(what: string): SandboxError {
  const { treeBytes } = webcontainerLimits;
  const message = `Cannot ${what}: they are more than ${treeBytes} bytes. Remove some, or use a sandbox in the tab or on a bridge`;
  return new SandboxError('limit-exceeded', message, { details: { limitBytes: treeBytes } });
}

import { closeSync, mkdirSync, readSync, rmdirSync, rmSync } from 'node:fs';
import { SandboxError } from '../../../protocol/errors.ts';
import { type ByteString, toDisplayText } from '../../../tree/content/byte-string.ts';
import type { FileContent } from '../../../tree/content/file-content.ts';
import { isDirectory, isFile, isSymlink } from '../../../tree/live/file-mode.ts';
import type { Ino, InodeView } from '../../../tree/live/file-tree.ts';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import type { TreeSnapshot } from '../../../tree/live/tree-snapshot.ts';
import { WorkSlices } from '../../../tree/next-task.ts';
import { checkTree } from '../../roots/collect/check-tree.ts';
import { cannot, hostPath, looksSame, namesIn, openToRead, statOf } from './folder-entry.ts';
import type { IgnoreRules } from './ignore-rules.ts';
import { folderLimits } from './limits.ts';
import { replaceEntry, setMetadata } from './replace-entry.ts';
import { takeBack, type WriteStep } from './take-back.ts';

export interface WriteOptions {
  readonly folder: ByteString;
  readonly isIgnored: IgnoreRules;
  /** What the folder has, as it was just read. */
  readonly before: TreeSnapshot;
}

/**
 * Makes a folder of the host what `tree` has, by writing what differs: each file in one step, so that whoever reads it sees all of the
 * old one or all of the new one. All that is to be replaced is looked at first.
 * Where it fails half way, what it changed is put back, and `tree` is at `before`.
 * @throws conflict where a file has changed since it was read, or one that is left out of the history is in the way; storage-full,
 * forbidden. The message says what has become of the folder
 */
export async function writeFolder(tree: LiveTree, options: WriteOptions): Promise<void> {
  const writer = new FolderWriter(tree, options);
  await writer.write();
}

class FolderWriter {
  readonly #tree: LiveTree;
  readonly #before: LiveTree;
  readonly #options: WriteOptions;
  readonly #slices = new WorkSlices();
  readonly #steps: WriteStep[] = [];

  constructor(tree: LiveTree, options: WriteOptions) {
    this.#tree = tree;
    this.#before = LiveTree.from(options.before, { readOnly: true });
    this.#options = options;
  }

  async write(): Promise<void> {
    await this.#plan('', this.#before.root, this.#tree.root);
    for (const [index, step] of this.#steps.entries()) {
      try {
        this.#apply(step);
      } catch (error) {
        const cause = error instanceof SandboxError ? error : cannot('write', step.path, error);
        throw takeBack(this.#tree, { ...this.#options, steps: this.#steps.slice(0, index) }, cause);
      }
      await this.#slices.end();
    }
  }

  async #plan(path: ByteString, before: Ino, now: Ino): Promise<void> {
    const old = new Map(names(this.#before, before));
    for (const [name, ino] of old) {
      const below = path === '' ? name : `${path}/${name}`;
      const inode = this.#before.stat(ino);
      const next = this.#tree.stat(this.#tree.lookup(now, name));
      if (inode && (!next || next.mode >> 12 !== inode.mode >> 12)) {
        const isEmptied = this.#planRemoval(below, ino, inode);
        if (next && !isEmptied && !this.#isIgnored(below, next)) throw inTheWay(below);
      }
      await this.#slices.end();
    }
    for (const [name, ino] of names(this.#tree, now)) {
      const below = path === '' ? name : `${path}/${name}`;
      await this.#planEntry(below, old.get(name) ?? 0, ino);
      await this.#slices.end();
    }
  }

  /** Files first, then the directory that they were in. Answers whether nothing stays there that is left out of the history. */
  #planRemoval(path: ByteString, ino: Ino, inode: InodeView): boolean {
    if (this.#isIgnored(path, inode)) return false;
    const known = new Map(names(this.#before, ino));
    let isEmptied =
      !isDirectory(inode.mode) || namesIn(this.#hostPath(path)).every((name) => known.has(name));
    for (const [name, child] of known) {
      const view = this.#before.stat(child);
      if (view) isEmptied = this.#planRemoval(`${path}/${name}`, child, view) && isEmptied;
    }
    this.#assertUnchanged(path, inode);
    this.#steps.push({ type: 'remove', path, beforeIno: ino, ino: 0 });
    return isEmptied;
  }

  #isIgnored(path: ByteString, { mode }: InodeView): boolean {
    return this.#options.isIgnored(path, { isDirectory: isDirectory(mode) });
  }

  async #planEntry(path: ByteString, beforeIno: Ino, ino: Ino): Promise<void> {
    const inode = this.#tree.stat(ino);
    if (!inode || this.#isIgnored(path, inode)) return;
    const found = this.#before.stat(beforeIno);
    const before = found && found.mode >> 12 === inode.mode >> 12 ? found : undefined;
    if (!before || !this.#hasContent(path, { before, beforeIno, inode, ino })) {
      if (before) this.#assertUnchanged(path, before);
      else this.#assertFree(path, found !== undefined);
      this.#steps.push({ type: 'write', path, beforeIno, ino });
    } else if (!isDirectory(inode.mode) && !isSameMetadata(before, inode)) {
      this.#steps.push({ type: 'metadata', path, beforeIno, ino });
    }
    if (!isDirectory(inode.mode)) return;
    await this.#plan(path, before ? beforeIno : 0, ino);
    // Last, since it may not let its owner write there.
    if (!before || !isSameMetadata(before, inode))
      this.#steps.push({ type: 'metadata', path, beforeIno, ino });
  }

  #hasContent(
    path: ByteString,
    at: { readonly before: InodeView; readonly beforeIno: Ino; readonly inode: InodeView; readonly ino: Ino },
  ): boolean {
    const { before, inode } = at;
    if (isDirectory(inode.mode)) return true;
    if (isSymlink(inode.mode)) return before.target === inode.target;
    if (before.sizeBytes !== inode.sizeBytes) return false;
    const [one, other] = [this.#before.inode(at.beforeIno)?.content, this.#tree.inode(at.ino)?.content];
    if (one && other) return isSameContent(one, other);
    return this.#hasBytes(path, at.ino, inode.sizeBytes);
  }

  /** Whether the file on disk has the bytes of the tree's. */
  #hasBytes(path: ByteString, ino: Ino, sizeBytes: number): boolean {
    const [disk, tree] = [Buffer.alloc(folderLimits.pieceBytes), Buffer.alloc(folderLimits.pieceBytes)];
    const file = openToRead(this.#hostPath(path));
    if (file === undefined) return false;
    try {
      for (let at = 0; at < sizeBytes; ) {
        const size = readSync(file, disk, 0, disk.length, at);
        const piece = tree.subarray(0, size);
        if (size === 0 || checkTree(this.#tree.read(ino, at, piece), 'a file') !== size) return false;
        if (!piece.equals(disk.subarray(0, size))) return false;
        at += size;
      }
      return true;
    } finally {
      closeSync(file);
    }
  }

  #assertUnchanged(path: ByteString, before: InodeView): void {
    const stat = statOf(this.#hostPath(path));
    if (stat && (isDirectory(before.mode) ? stat.isDirectory() : looksSame(stat, before))) return;
    throw changedMeanwhile(path);
  }

  #assertFree(path: ByteString, isRemoved: boolean): void {
    if (!isRemoved && statOf(this.#hostPath(path)) !== undefined) throw inTheWay(path);
  }

  #apply({ type, path: below, beforeIno, ino }: WriteStep): void {
    const path = this.#hostPath(below);
    if (type === 'remove') {
      if (!isDirectory(this.#before.stat(beforeIno)?.mode ?? 0)) rmSync(hostPath(path), { force: true });
      // What is left out of the history stays, and so does the directory that it is in.
      else if (namesIn(path).length === 0) rmdirSync(hostPath(path));
      return;
    }
    const inode = this.#tree.stat(ino);
    if (!inode) return;
    if (type === 'metadata') setMetadata(hostPath(path), inode);
    else if (isDirectory(inode.mode)) mkdirSync(hostPath(path), { recursive: true });
    else replaceEntry(this.#tree, path, ino);
  }

  #hostPath(path: ByteString): ByteString {
    return `${this.#options.folder}/${path}`;
  }
}

function names(tree: LiveTree, directory: Ino): [ByteString, Ino][] {
  const found: [ByteString, Ino][] = [];
  if (directory !== 0 && isDirectory(tree.stat(directory)?.mode ?? 0)) {
    tree.readdir(directory, 0, (name, ino) => Boolean(found.push([name, ino])));
  }
  return found;
}

function isSameContent(one: FileContent, other: FileContent): boolean {
  if (one.type === 'zeros' || other.type === 'zeros') return one.type === other.type;
  return one.id === other.id;
}

function isSameMetadata(one: InodeView, other: InodeView): boolean {
  const isSameTime =
    !isFile(one.mode) ||
    (one.mtimeSeconds === other.mtimeSeconds && one.mtimeNanoseconds === other.mtimeNanoseconds);
  return one.mode === other.mode && one.uid === other.uid && one.gid === other.gid && isSameTime;
}

function changedMeanwhile(path: ByteString): SandboxError {
  const message = `Cannot put the files back: /${toDisplayText(path)} was changed meanwhile. Nothing was changed; do it again once nobody writes there`;
  return new SandboxError('conflict', message, { details: { path: toDisplayText(path) } });
}

function inTheWay(path: ByteString): SandboxError {
  const shown = toDisplayText(path);
  const message = `Cannot put the files back: at /${shown} is something that is not in the history, where a file has to be. Nothing was changed; move it away first`;
  return new SandboxError('conflict', message, { details: { path: shown } });
}

import type { Ino } from '../../tree/live/file-tree.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import type { OpenFile } from '../io/open-file.ts';
import { endStep } from '../io/time-slice.ts';
import { ShellError } from '../shell-error.ts';
import type { ShellText } from '../text.ts';
import { checked } from './tree-result.ts';

const nothing = new Uint8Array(0);

interface TreeFileOptions {
  readonly path: ShellText;
  readonly isReadable: boolean;
  readonly isWritable: boolean;
  readonly appends: boolean;
  /** Of the process that opened it: once that was killed, it neither reads nor changes anything. */
  readonly signal?: AbortSignal | undefined;
}

/** A file of the tree that is open. Its inode stays when its last name is removed. Held once by who opened it. */
export class OpenTreeFile implements OpenFile {
  readonly type = 'file';
  readonly path: ShellText;
  readonly ino: Ino;
  /** Where the next read or write is, as `lseek` sets it. */
  position = 0;
  readonly appends: boolean;
  readonly #tree: LiveTree;
  readonly #options: TreeFileOptions;
  #holders = 1;

  constructor(tree: LiveTree, ino: Ino, options: TreeFileOptions) {
    this.#tree = tree;
    this.ino = ino;
    this.path = options.path;
    this.appends = options.appends;
    this.#options = options;
    tree.retain(ino);
  }

  async read(maxBytes: number, signal?: AbortSignal): Promise<Uint8Array> {
    if (!this.#options.isReadable) throw new ShellError('EBADF');
    await endStep(signal);
    this.#checkHeld();
    const left = this.sizeBytes - this.position;
    if (left <= 0) return nothing;
    const bytes = new Uint8Array(Math.min(left, maxBytes));
    const count = checked(this.#tree.read(this.ino, this.position, bytes));
    this.position += count;
    return count === bytes.length ? bytes : bytes.subarray(0, count);
  }

  unread(bytes: Uint8Array): void {
    this.position -= bytes.length;
  }

  async write(bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
    if (!this.#options.isWritable) throw new ShellError('EBADF');
    signal?.throwIfAborted();
    this.#checkHeld();
    if (this.appends) this.position = this.sizeBytes;
    checked(this.#tree.write(this.ino, this.position, bytes));
    this.position += bytes.length;
  }

  /** A program may still be on its way when its process has ended. */
  #checkHeld(): void {
    this.#options.signal?.throwIfAborted();
    if (this.#holders <= 0) throw new ShellError('EBADF');
  }

  /** @throws ShellError EIO when the tree was put back to a time before the file */
  get sizeBytes(): number {
    const inode = this.#tree.stat(this.ino);
    if (inode === undefined) throw new ShellError('EIO');
    return inode.sizeBytes;
  }

  retain(): void {
    this.#holders += 1;
  }

  release(): void {
    this.#holders -= 1;
    if (this.#holders === 0) this.#tree.release(this.ino);
  }
}

/** A directory that is open: it can be held, and no more. */
export class OpenDirectory implements OpenFile {
  readonly type = 'directory';
  readonly path: ShellText;

  constructor(path: ShellText) {
    this.path = path;
  }

  async read(): Promise<Uint8Array> {
    throw new ShellError('EISDIR');
  }

  unread(): void {}

  async write(): Promise<void> {
    throw new ShellError('EBADF');
  }

  retain(): void {}

  release(): void {}
}

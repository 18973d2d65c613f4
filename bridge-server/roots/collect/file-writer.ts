import { treeLimits } from '../../../tree/limits.ts';
import type { Ino } from '../../../tree/live/file-tree.ts';
import type { LiveTree } from '../../../tree/live/live-tree.ts';
import { checkTree } from './check-tree.ts';

const { extentBytes } = treeLimits;
const zeros = Buffer.alloc(extentBytes);

/**
 * Puts the content of files on disk into files of a tree, touching only extents that differ: a log
 * of gigabytes that grew by a line costs that line's extent. Holds one extent; one file at a time.
 */
export class FileWriter {
  /** Whether anything of the current file differed. */
  changed = false;
  readonly #tree: LiveTree;
  readonly #extent: Buffer = Buffer.alloc(extentBytes);
  readonly #old: Buffer = Buffer.alloc(extentBytes);
  #ino: Ino = 0;
  #isNew = false;
  /** Where the bytes in `#extent` go, and how many there are. Between two extents, `#start` is at a border. */
  #start = 0;
  #filled = 0;
  #presentExtents: readonly number[] | undefined;

  constructor(tree: LiveTree) {
    this.#tree = tree;
  }

  /** Begins a file. With `isNew` its content is known to differ, and the old one is not even fetched. */
  start(ino: Ino, options: { readonly isNew: boolean }): void {
    this.#ino = ino;
    this.#isNew = options.isNew;
    this.changed = options.isNew;
    this.#start = 0;
    this.#filled = 0;
    this.#presentExtents = undefined;
    // Writing over an extent would fetch what it had, even for none of it to stay.
    if (options.isNew) checkTree(this.#tree.truncate(ino, 0), 'a file');
  }

  /** Takes the bytes that follow the last ones. */
  push(bytes: Uint8Array): void {
    for (let rest = bytes; rest.length > 0; ) {
      const part = rest.subarray(0, extentBytes - this.#filled);
      this.#extent.set(part, this.#filled);
      this.#filled += part.length;
      rest = rest.subarray(part.length);
      if (this.#filled === extentBytes) this.#flush();
    }
  }

  /** Takes a hole that reaches to `end`. Costs the extents that the tree has there, not its length. */
  hole(end: number): void {
    const position = this.#start + this.#filled;
    if (this.#filled > 0) this.push(zeros.subarray(0, Math.min(end - position, extentBytes - this.#filled)));
    if (this.#filled > 0 || this.#start >= end) return;
    const last = Math.floor(end / extentBytes);
    for (const index of this.#present()) {
      if (index * extentBytes < this.#start || index >= last) continue;
      this.#start = index * extentBytes;
      this.push(zeros);
    }
    this.#start = last * extentBytes;
    this.push(zeros.subarray(0, end - this.#start));
  }

  /** The file ends here and has `sizeBytes`. */
  finish(sizeBytes: number): void {
    this.#flush();
    if (this.#tree.stat(this.#ino)?.sizeBytes === sizeBytes) return;
    checkTree(this.#tree.truncate(this.#ino, sizeBytes), 'a file');
    this.changed = true;
  }

  /** The extents of the tree's file that are not holes, in order. */
  #present(): readonly number[] {
    if (this.#presentExtents) return this.#presentExtents;
    const present: number[] = [];
    // A read unfolds what was loaded by id into extents.
    checkTree(this.#tree.read(this.#ino, 0, this.#old.subarray(0, 1)), 'a file');
    this.#tree.inode(this.#ino)?.extents?.forEach((_, index) => void present.push(index));
    this.#presentExtents = present;
    return present;
  }

  #flush(): void {
    const bytes = this.#extent.subarray(0, this.#filled);
    if (bytes.length > 0 && (this.#isNew || this.#differs(bytes))) {
      checkTree(this.#tree.write(this.#ino, this.#start, bytes), 'a file');
      this.changed = true;
    }
    this.#start += this.#filled;
    this.#filled = 0;
  }

  #differs(bytes: Buffer): boolean {
    const old = this.#old.subarray(0, bytes.length);
    old.fill(0, checkTree(this.#tree.read(this.#ino, this.#start, old), 'a file'));
    return bytes.compare(old) !== 0;
  }
}

import type { Extent } from '../../../tree/content/extent.ts';
import { objectKinds } from '../../../tree/content/kinds.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import type { Radix } from '../../../tree/content/radix.ts';
import { treeLimits } from '../../../tree/limits.ts';
import type { Ino } from '../../../tree/live/file-tree.ts';
import type { LiveTree } from '../../../tree/live/live-tree.ts';
import { hashObject } from '../../../tree/objects/hash-object.ts';
import { checkTree } from './check-tree.ts';

const { extentBytes } = treeLimits;
const zeros = Buffer.alloc(extentBytes);
const chunkHead = 1;

/**
 * Puts the content of files on disk into files of a tree, touching only extents that differ: a log
 * of gigabytes that grew by a line costs that line's extent. Holds one extent; one file at a time.
 */
export class FileWriter {
  /** Whether anything of the current file differed. */
  changed = false;
  readonly #tree: LiveTree;
  /** An extent as an object has it, behind its kind (OB-6). */
  readonly #chunk: Buffer = Buffer.alloc(chunkHead + extentBytes, Uint8Array.of(objectKinds.chunk));
  readonly #extent: Buffer = this.#chunk.subarray(chunkHead);
  readonly #old: Buffer = Buffer.alloc(extentBytes);
  #ino: Ino = 0;
  #isNew = false;
  /** Where the bytes in `#extent` go, and how many there are. Between two extents, `#start` is at a border. */
  #start = 0;
  #filled = 0;
  #presentExtents: readonly number[] | undefined;
  /** Those before it lie before the holes that are still to come. */
  #nextPresent = 0;

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
    this.#nextPresent = 0;
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
    const present = this.#present();
    for (; (present[this.#nextPresent] ?? last) < last; this.#nextPresent++) {
      const start = (present[this.#nextPresent] ?? 0) * extentBytes;
      if (start < this.#start) continue;
      this.#start = start;
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
    this.#extents()?.forEach((_, index) => void present.push(index));
    this.#presentExtents = present;
    return present;
  }

  /** The id of what is in `#extent`. */
  #chunkId(): ObjectId {
    let end = chunkHead + this.#filled;
    while (this.#chunk[end - 1] === 0) end -= 1;
    return hashObject(this.#chunk.subarray(0, end));
  }

  #extents(): Radix<Extent> | undefined {
    const extents = this.#tree.inode(this.#ino)?.extents;
    if (extents) return extents;
    // A read unfolds what was loaded by id into extents.
    checkTree(this.#tree.read(this.#ino, 0, this.#old.subarray(0, 1)), 'a file');
    return this.#tree.inode(this.#ino)?.extents;
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

  /** What is in no memory is compared by its id, which takes a hash in place of a look into the store. */
  #differs(bytes: Buffer): boolean {
    const stored = this.#extents()?.get(this.#start / extentBytes);
    if (stored?.id !== undefined && stored.pages === undefined) return this.#chunkId() !== stored.id;
    const old = this.#old.subarray(0, bytes.length);
    old.fill(0, checkTree(this.#tree.read(this.#ino, this.#start, old), 'a file'));
    return bytes.compare(old) !== 0;
  }
}

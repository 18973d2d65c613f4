import { closeSync, fstatSync, readSync } from 'node:fs';
import { SandboxError } from '../../../protocol/errors.ts';
import type { ByteString } from '../../../tree/content/byte-string.ts';
import { treeLimits } from '../../../tree/limits.ts';
import type { Ino } from '../../../tree/live/file-tree.ts';
import type { LiveTree } from '../../../tree/live/live-tree.ts';
import { WorkSlices } from '../../../tree/next-task.ts';
import { checkTree } from '../../roots/collect/check-tree.ts';
import { type DataRange, dataRanges, isHole } from './data-ranges.ts';
import { cannot, openToRead } from './folder-entry.ts';
import { folderLimits } from './limits.ts';
import type { OpenFolder } from './open-folder.ts';
import { FileSettler } from './settle-files.ts';

/** Makes contents of a tree those of files of a folder, by writing what differs. */
export class ContentReader {
  /** Changes of the tree. */
  changes = 0;
  readonly #tree: LiveTree;
  readonly #folder: OpenFolder;
  readonly #settler: FileSettler;
  readonly #slices = new WorkSlices();
  readonly #now = Buffer.allocUnsafe(folderLimits.pieceBytes);
  readonly #before = Buffer.allocUnsafe(folderLimits.pieceBytes);
  #takenBytes = 0;

  constructor(tree: LiveTree, folder: OpenFolder) {
    this.#tree = tree;
    this.#folder = folder;
    this.#settler = new FileSettler(folder);
  }

  /** Whether all that was read had been written to disk before. */
  get isSettled(): boolean {
    return this.#settler.isSettled;
  }

  /** Makes the content of `ino` that of the file at a path, which may have gone, or another may be mounted there. */
  async read(
    path: ByteString,
    { where, ino }: { readonly where: ByteString; readonly ino: Ino },
  ): Promise<'read' | 'gone' | 'mount'> {
    const file = openToRead(where, path);
    if (file === undefined) return 'gone';
    try {
      if (!this.#folder.owns(file)) return 'mount';
      await this.#settler.settle(file);
      const stat = fstatSync(file, { bigint: true });
      this.#resize(ino, Number(stat.size));
      let end = 0;
      for (const { from, to } of dataRanges(file, stat)) {
        this.#hole(ino, { from: end, to: from });
        end = await this.#data(file, { ino, from, to });
        // It is shorter meanwhile.
        if (end < to) this.#resize(ino, end);
        if (end < to) return 'read';
      }
      this.#hole(ino, { from: end, to: Number(stat.size) });
      return 'read';
    } catch (error) {
      throw error instanceof SandboxError ? error : cannot('read', path, error);
    } finally {
      closeSync(file);
    }
  }

  #resize(ino: Ino, sizeBytes: number): void {
    if (this.#tree.stat(ino)?.sizeBytes === sizeBytes) return;
    this.changes += 1;
    checkTree(this.#tree.truncate(ino, sizeBytes), 'a file');
  }

  /** Answers where it came to. */
  async #data(file: number, { ino, from, to }: DataRange & { readonly ino: Ino }): Promise<number> {
    let at = from;
    while (at < to) {
      const size = readSync(file, this.#now, 0, Math.min(this.#now.length, to - at), at);
      if (size === 0) break;
      this.#piece(ino, at, this.#now.subarray(0, size));
      at += size;
      await this.#slices.end();
    }
    return at;
  }

  /** What was there before is none of the file's any more. */
  #hole(ino: Ino, { from, to }: DataRange): void {
    if (to <= from || (this.#tree.stat(ino)?.allocatedBytes ?? 0) === 0) return;
    for (let at = from; at < to; at += this.#now.length) {
      const length = Math.min(this.#now.length, to - at);
      if (!isHole(this.#tree, ino, { from: at, to: at + length }))
        this.#piece(ino, at, this.#now.subarray(0, length).fill(0));
    }
  }

  /** Writes the parts that differ, so that a hole of the tree stays one. */
  #piece(ino: Ino, at: number, bytes: Uint8Array): void {
    const before = this.#before.subarray(0, bytes.length);
    if (checkTree(this.#tree.read(ino, at, before), 'a file') !== bytes.length) before.fill(1);
    if (before.equals(bytes)) return;
    for (let from = 0; from < bytes.length; from += treeLimits.extentBytes) {
      const part = bytes.subarray(from, from + treeLimits.extentBytes);
      if (before.subarray(from, from + part.length).equals(part)) continue;
      this.#takenBytes += part.length;
      if (this.#takenBytes > folderLimits.readBytes) {
        throw tooMuch(`more than ${folderLimits.readBytes / 1_048_576} MiB that are new at once`);
      }
      this.changes += 1;
      checkTree(this.#tree.write(ino, at + from, part), 'a file');
    }
  }
}

export function tooMuch(what: string): SandboxError {
  const message = `Cannot take a snapshot of the folder: it has ${what}. Name what need not be kept in .coppiceignore`;
  return new SandboxError('limit-exceeded', message);
}

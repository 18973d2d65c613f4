import { join } from 'node:path';
import { JoinedFile, type LogPiece } from '../../tree/log-store/joined-file.ts';
import type { LogDirectory, LogFile } from '../../tree/log-store/log-file.ts';
import { storeLimits } from '../../tree/log-store/store-limits.ts';
import { type Disk, hostDisk, syncFolder } from './disk.ts';
import { diskError, isErrno } from './disk-error.ts';
import { openDiskFile } from './disk-file.ts';

const pattern = /^log-([1-9]\d{0,14})(?:\.([1-9]\d{0,15}))?$/;

interface Name {
  readonly generation: number;
  readonly start: number;
}

/**
 * The files of one sandbox in a folder of the host that exists: `log-<n>`, and `log-<n>.<at>` where the
 * log goes on in another file from offset `at`: then nothing is written to the ones before any more, and
 * they may have other names in the folders of other sandboxes. That there is one writer is for the
 * caller's lock to see to; readers may look on.
 */
export class FileDirectory implements LogDirectory {
  readonly backend = 'files';
  readonly readOnly: boolean;
  readonly #path: string;
  readonly #disk: Disk;

  constructor(path: string, options: { readonly readOnly?: boolean; readonly disk?: Disk } = {}) {
    this.#path = path;
    this.readOnly = options.readOnly ?? false;
    this.#disk = options.disk ?? hostDisk;
  }

  async generations(): Promise<number[]> {
    return [...new Set(this.#names().map(({ generation }) => generation))];
  }

  async open(generation: number): Promise<LogFile> {
    const later = this.#starts(generation).filter((start) => start > 0);
    const last = later.pop() ?? 0;
    const frozen = last === 0 ? [] : [0, ...later];
    return this.#join(generation, frozen, () => this.#openLast(generation, last));
  }

  /** The first file goes first: without it the rest is no log to a reader who comes now. */
  async remove(generation: number): Promise<void> {
    for (const start of this.#starts(generation)) this.#disk.unlink(this.#pathOf({ generation, start }));
    syncFolder(this.#path, this.#disk);
  }

  split(generation: number, at: number): LogFile | undefined {
    const starts = this.#starts(generation);
    if (starts.length >= storeLimits.logFiles) return undefined;
    // The new file comes last: once it is there, the one before must not be written to.
    return this.#join(generation, starts, () => this.#create({ generation, start: at }));
  }

  adopt(
    from: LogDirectory,
    { generation, endBytes }: { readonly generation: number; readonly endBytes: number },
  ): LogFile {
    const frozen = from instanceof FileDirectory ? from.#frozenFiles(generation, endBytes) : [];
    const shared: number[] = [];
    let sharedBytes = 0;
    for (const { path, start, end } of frozen) {
      if (!this.#link(path, { generation: firstGeneration, start })) break;
      shared.push(start);
      sharedBytes = end;
    }
    const last = { generation: firstGeneration, start: sharedBytes };
    return this.#join(firstGeneration, shared, () => this.#create(last));
  }

  toError(action: string, error: unknown): Error {
    return diskError(action, error);
  }

  #names(): Name[] {
    return this.#disk.list(this.#path).flatMap((name) => {
      const [, generation, start = '0'] = pattern.exec(name) ?? [];
      return generation === undefined ? [] : [{ generation: Number(generation), start: Number(start) }];
    });
  }

  /** Where the files of a log begin, in order. */
  #starts(generation: number): number[] {
    return this.#names()
      .flatMap((name) => (name.generation === generation ? [name.start] : []))
      .sort((a, b) => a - b);
  }

  /** The files that hold a log up to `endBytes` and that nothing is written to any more. */
  #frozenFiles(generation: number, endBytes: number): { path: string; start: number; end: number }[] {
    const starts = this.#starts(generation);
    return starts.slice(0, -1).flatMap((start, n) => {
      const end = Math.min(starts[n + 1] ?? endBytes, endBytes);
      return start < end ? [{ path: this.#pathOf({ generation, start }), start, end }] : [];
    });
  }

  /** Opens the files that begin at `frozen` for reading; what `openLast` answers is written to. */
  #join(generation: number, frozen: readonly number[], openLast: () => LogPiece): LogFile {
    const pieces: LogPiece[] = [];
    try {
      for (const start of frozen) {
        const fd = this.#disk.open(this.#pathOf({ generation, start }), 'read');
        pieces.push({ start, file: openDiskFile(this.#disk, fd) });
      }
      return new JoinedFile(pieces, openLast());
    } catch (error) {
      for (const { file } of pieces) file.close();
      throw error;
    }
  }

  #openLast(generation: number, start: number): LogPiece {
    const path = this.#pathOf({ generation, start });
    const fd = this.readOnly ? this.#disk.open(path, 'read') : this.#openForWriting(path);
    return { start, file: openDiskFile(this.#disk, fd) };
  }

  /** A new file, whose name is durable with its first flush. */
  #create(name: Name): LogPiece {
    const fd = this.#disk.open(this.#pathOf(name), 'create');
    const beforeFlush = () => syncFolder(this.#path, this.#disk);
    return { start: name.start, file: openDiskFile(this.#disk, fd, { beforeFlush }) };
  }

  /** Makes the name durable even where it was: who made it may have died before it did so. */
  #openForWriting(path: string): number {
    const fd = this.#openOrCreate(path);
    try {
      syncFolder(this.#path, this.#disk);
      return fd;
    } catch (error) {
      this.#disk.close(fd);
      throw error;
    }
  }

  #openOrCreate(path: string): number {
    try {
      return this.#disk.open(path, 'write');
    } catch (error) {
      if (!isErrno(error, 'ENOENT')) throw error;
      return this.#disk.open(path, 'create');
    }
  }

  /** Whether the file at `path` has that name here as well; a file system may refuse, or it has gone. */
  #link(path: string, name: Name): boolean {
    try {
      this.#disk.link(path, this.#pathOf(name));
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error) return false;
      throw error;
    }
  }

  #pathOf({ generation, start }: Name): string {
    return join(this.#path, start === 0 ? `log-${generation}` : `log-${generation}.${start}`);
  }
}

const firstGeneration = 1;

import { join } from 'node:path';
import type { LogDirectory, LogFile } from '../../tree/log-store/log-file.ts';
import { type Disk, hostDisk, syncFolder } from './disk.ts';
import { diskError, isErrno } from './disk-error.ts';

const pattern = /^log-([1-9]\d{0,14})$/;

/**
 * The files of one sandbox in a folder of the host that exists: `log-<n>`. That there is one writer
 * is for the caller's lock to see to; readers may look on.
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
    return this.#disk.list(this.#path).flatMap((name) => {
      const digits = pattern.exec(name)?.[1];
      return digits === undefined ? [] : [Number(digits)];
    });
  }

  async open(generation: number): Promise<LogFile> {
    const path = this.#pathOf(generation);
    const fd = this.readOnly ? this.#disk.open(path, 'read') : this.#openForWriting(path);
    return openFile(this.#disk, fd);
  }

  async remove(generation: number): Promise<void> {
    this.#disk.unlink(this.#pathOf(generation));
    syncFolder(this.#path, this.#disk);
  }

  toError(action: string, error: unknown): Error {
    return diskError(action, error);
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

  #pathOf(generation: number): string {
    return join(this.#path, `log-${generation}`);
  }
}

function openFile(disk: Disk, fd: number): LogFile {
  return {
    read: (into, at) => disk.read(fd, into, at),
    write: (bytes, at) => writeAll(disk, { fd, bytes, at }),
    truncate: (sizeBytes) => disk.truncate(fd, sizeBytes),
    flush: () => disk.sync(fd),
    size: () => disk.size(fd),
    close: () => disk.close(fd),
  };
}

/** Linux takes what fits and tells why the rest does not at the next call only. */
function writeAll(
  disk: Disk,
  { fd, bytes, at }: { readonly fd: number; readonly bytes: Uint8Array; readonly at: number },
): number {
  let done = 0;
  while (done < bytes.length) {
    const taken = disk.write(fd, bytes.subarray(done), at + done);
    if (taken === 0) break;
    done += taken;
  }
  return done;
}

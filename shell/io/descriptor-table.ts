import { shellLimits } from '../limits.ts';
import { ShellError } from '../shell-error.ts';
import type { OpenFile } from './open-file.ts';

/** Descriptors that the shell picks for `{name}>file` start here. */
const firstPicked = 10;

/** The open files of one process by descriptor. It holds each file once for each descriptor. */
export class DescriptorTable {
  readonly #files: Map<number, OpenFile> = new Map();

  get(fd: number): OpenFile | undefined {
    return this.#files.get(fd);
  }

  /** Puts a file at a descriptor, in place of what is there. Takes over the caller's hold. @throws ShellError EMFILE */
  put(fd: number, file: OpenFile): void {
    const before = this.#files.get(fd);
    if (fd < 0 || fd >= shellLimits.descriptors) {
      file.release();
      throw new ShellError(fd < 0 ? 'EBADF' : 'EMFILE');
    }
    this.#files.set(fd, file);
    before?.release();
  }

  /** @throws ShellError EBADF, EMFILE */
  duplicate(fd: number, to: number): void {
    const file = this.#files.get(fd);
    if (!file) throw new ShellError('EBADF');
    file.retain();
    this.put(to, file);
  }

  close(fd: number): void {
    const file = this.#files.get(fd);
    this.#files.delete(fd);
    file?.release();
  }

  /** The lowest free descriptor from 10 on. @throws ShellError EMFILE */
  pick(): number {
    for (let fd = firstPicked; fd < shellLimits.descriptors; fd++) if (!this.#files.has(fd)) return fd;
    throw new ShellError('EMFILE');
  }

  /** The highest free one up to 63, as process substitutions take them. @throws ShellError EMFILE */
  pickHigh(): number {
    for (let fd = 63; fd >= firstPicked; fd--) if (!this.#files.has(fd)) return fd;
    return this.pick();
  }

  list(): readonly number[] {
    return [...this.#files.keys()].sort((one, other) => one - other);
  }

  /** A table of the same files, each held once more. */
  clone(): DescriptorTable {
    const copy = new DescriptorTable();
    for (const [fd, file] of this.#files) {
      file.retain();
      copy.#files.set(fd, file);
    }
    return copy;
  }

  closeAll(): void {
    for (const fd of this.list()) this.close(fd);
  }
}

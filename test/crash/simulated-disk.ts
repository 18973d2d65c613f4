import type { LogDirectory, LogFile } from '../../tree/log-store/log-file.ts';
import { storageError } from '../../web/stores/storage-error.ts';
import { type Choose, PowerCut, SimulatedFile } from './simulated-file.ts';

/** A disk that loses power at a chosen call, or runs full. Removed files are gone at once, created ones too late. */
export class SimulatedDisk implements LogDirectory {
  readonly backend = 'files';
  readonly readOnly = false;
  /** Calls that reach the disk before the power goes. */
  callsLeft = Number.POSITIVE_INFINITY;
  /** In order: the next call of that name fails as on a full disk, or is let pass. */
  failures: `${'' | 'pass '}${'write' | 'short write' | 'flush' | 'truncate' | 'remove'}`[] = [];
  readonly #files = new Map<number, SimulatedFile>();

  async generations(): Promise<number[]> {
    return [...this.#files.keys()];
  }

  async open(generation: number): Promise<LogFile> {
    this.#call('open');
    const file = this.#files.get(generation) ?? new SimulatedFile();
    this.#files.set(generation, file);
    return {
      read: (into, at) => {
        const found = file.content.subarray(at, at + into.length);
        into.set(found);
        return found.length;
      },
      write: (bytes, at) => {
        const length = this.#fails('short write') ? bytes.length >> 1 : bytes.length;
        // What was under way when the power went may be partly there.
        if (this.callsLeft <= 1) file.apply({ at, bytes: bytes.slice(0, length) });
        this.#call('write');
        file.apply({ at, bytes: bytes.slice(0, length) });
        return length;
      },
      truncate: (at) => {
        this.#call('truncate');
        file.apply({ at });
      },
      flush: () => {
        this.#call('flush');
        file.flush();
      },
      size: () => file.content.length,
      close: () => undefined,
    };
  }

  async remove(generation: number): Promise<void> {
    this.#call('remove');
    this.#files.delete(generation);
  }

  toError(action: string, error: unknown): Error {
    return storageError(action, error);
  }

  /** The disk as it is found after the power cut, or after a plain crash of the process. */
  restart(choose: Choose): void {
    this.callsLeft = Number.POSITIVE_INFINITY;
    for (const file of this.#files.values()) file.settle(choose);
  }

  /** The bytes of the only file. */
  get onlyFile(): Uint8Array<ArrayBuffer> {
    const [file, ...others] = this.#files.values();
    if (file === undefined || others.length > 0) throw new Error('There is not exactly one file');
    return file.content;
  }

  /** Changes one byte of the only file, behind the store's back. */
  rot(at: number, mask: number): void {
    const bytes = this.onlyFile;
    bytes[at] = (bytes[at] ?? 0) ^ mask;
  }

  #call(name: string): void {
    if (--this.callsLeft <= 0) throw new PowerCut('The power is gone');
    if (this.#fails(name)) throw new DOMException('There is no space left', 'QuotaExceededError');
  }

  #fails(name: string): boolean {
    const [next] = this.failures;
    if (next === name || next === `pass ${name}`) this.failures.shift();
    return next === name;
  }
}

import type { LogDirectory, LogFile } from '../../tree/log-store/log-file.ts';
import { storageError } from '../../web/stores/storage-error.ts';

/** Thrown when the power goes: nothing after it reaches the disk. */
class PowerCut extends Error {}

/** Answers a number from 0 (inclusive) to `bound` (exclusive). */
export type Choose = (bound: number) => number;

const sectorBytes = 512;

interface Change {
  readonly at: number;
  /** Bytes to write; without them, the file is cut at `at`. */
  readonly bytes?: Uint8Array;
}

/** What a flush has made durable, and what came since: after a power cut any part of that may be there. */
class SimulatedFile {
  content = new Uint8Array(0);
  durable = new Uint8Array(0);
  changes: Change[] = [];

  apply(change: Change): void {
    this.content = applied(this.content, change);
    this.changes.push(change);
  }

  flush(): void {
    this.durable = this.content;
    this.changes = [];
  }

  /** Sectors reach a disk in any order: each of them is there or not. */
  settle(choose: Choose): void {
    const ends = this.changes.map(({ at, bytes }) => at + (bytes?.length ?? 0));
    const disk = new Uint8Array(Math.max(this.durable.length, ...ends));
    disk.set(this.durable);
    let length = this.durable.length;
    for (const { at, bytes } of this.changes) {
      if (bytes === undefined) {
        if (choose(2) === 0) continue;
        disk.fill(0, at);
        length = at;
        continue;
      }
      for (let from = 0; from < bytes.length; ) {
        const end = Math.min(bytes.length, from + sectorBytes - ((at + from) % sectorBytes));
        if (choose(3) > 0) {
          disk.set(bytes.subarray(from, end), at + from);
          length = Math.max(length, at + end);
        }
        from = end;
      }
    }
    this.durable = disk.slice(0, length);
    this.content = this.durable;
    this.changes = [];
  }
}

function applied(content: Uint8Array, { at, bytes }: Change): Uint8Array<ArrayBuffer> {
  const length = bytes === undefined ? at : Math.max(content.length, at + bytes.length);
  const next = new Uint8Array(length);
  next.set(content.subarray(0, length));
  if (bytes) next.set(bytes, at);
  return next;
}

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

import { basename } from 'node:path';
import type { Disk, OpenMode } from '../../bridge-server/stores/disk.ts';
import type { CrashDisk } from './power-cut-suite.ts';
import { type Choose, PowerCut, SimulatedFile } from './simulated-file.ts';

type Failing = 'open' | 'write' | 'short write' | 'sync' | 'truncate' | 'unlink';

/** A name that was given or taken since the folder was last made durable. */
interface NameChange {
  readonly name: string;
  readonly file: SimulatedFile | undefined;
}

/**
 * One folder of a host as POSIX promises it and no more: what is written, and which names there
 * are, is durable once file and folder are synced, each by itself. It loses power at a chosen
 * call, or runs full.
 */
export class SimulatedHostDisk implements Disk, CrashDisk {
  callsLeft = Number.POSITIVE_INFINITY;
  /** In order: the next call of that name fails as on a full disk. */
  failures: Failing[] = [];
  #names = new Map<string, SimulatedFile>();
  #durableNames = new Map<string, SimulatedFile>();
  #nameChanges: NameChange[] = [];
  readonly #open = new Map<number, SimulatedFile | 'folder'>();
  #nextFd = 3;

  /** Descriptors that nobody has closed. */
  get openFiles(): number {
    return this.#open.size;
  }

  list(): string[] {
    return [...this.#names.keys()];
  }

  open(path: string, mode: OpenMode): number {
    const fd = this.#nextFd++;
    if (mode === 'folder') this.#open.set(fd, 'folder');
    else this.#open.set(fd, this.#find(basename(path), mode));
    return fd;
  }

  read(fd: number, into: Uint8Array, at: number): number {
    const found = this.#file(fd).content.subarray(at, at + into.length);
    into.set(found);
    return found.length;
  }

  write(fd: number, bytes: Uint8Array, at: number): number {
    const file = this.#file(fd);
    // What was under way when the power went may be partly there.
    if (this.callsLeft <= 1) file.apply({ at, bytes: bytes.slice() });
    this.#call('write');
    const taken = this.#fails('short write') ? bytes.length >> 1 : bytes.length;
    file.apply({ at, bytes: bytes.slice(0, taken) });
    return taken;
  }

  truncate(fd: number, sizeBytes: number): void {
    this.#call('truncate');
    this.#file(fd).apply({ at: sizeBytes });
  }

  sync(fd: number): void {
    this.#call('sync');
    if (this.#open.get(fd) !== 'folder') {
      this.#file(fd).flush();
    } else {
      this.#durableNames = new Map(this.#names);
      this.#nameChanges = [];
    }
  }

  size(fd: number): number {
    return this.#file(fd).content.length;
  }

  close(fd: number): void {
    if (!this.#open.delete(fd)) throw errno('EBADF');
  }

  unlink(path: string): void {
    this.#call('unlink');
    if (!this.#names.delete(basename(path))) throw errno('ENOENT');
    this.#nameChanges.push({ name: basename(path), file: undefined });
  }

  restart(choose: Choose): void {
    this.callsLeft = Number.POSITIVE_INFINITY;
    this.#open.clear();
    for (const { name, file } of this.#nameChanges) {
      if (choose(2) === 0) continue;
      if (file === undefined) this.#durableNames.delete(name);
      else this.#durableNames.set(name, file);
    }
    this.#nameChanges = [];
    this.#names = new Map(this.#durableNames);
    for (const file of this.#names.values()) file.settle(choose);
  }

  #find(name: string, mode: OpenMode): SimulatedFile {
    const file = this.#names.get(name);
    if (mode !== 'create') {
      if (file === undefined) throw errno('ENOENT');
      return file;
    }
    this.#call('open');
    if (file !== undefined) throw errno('EEXIST');
    const created = new SimulatedFile();
    this.#names.set(name, created);
    this.#nameChanges.push({ name, file: created });
    return created;
  }

  #file(fd: number): SimulatedFile {
    const file = this.#open.get(fd);
    if (file === undefined || file === 'folder') throw errno('EBADF');
    return file;
  }

  #call(name: Failing): void {
    if (--this.callsLeft <= 0) throw new PowerCut('The power is gone');
    if (this.#fails(name)) throw errno('ENOSPC');
  }

  #fails(name: Failing): boolean {
    if (this.failures[0] !== name) return false;
    this.failures.shift();
    return true;
  }
}

function errno(code: string): Error {
  return Object.assign(new Error(code), { code });
}

import { basename, dirname } from 'node:path';
import type { Disk, OpenMode } from '../../bridge-server/stores/disk.ts';
import type { CrashDisk } from './power-cut-suite.ts';
import { type Choose, PowerCut, SimulatedFile } from './simulated-file.ts';

type Failing = 'open' | 'write' | 'short write' | 'sync' | 'truncate' | 'link' | 'unlink';

/** A name that was given or taken since its folder was last made durable. */
interface NameChange {
  readonly path: string;
  readonly file: SimulatedFile | undefined;
}

/**
 * Folders of a host as POSIX promises them and no more: what is written, and which names there
 * are, is durable once file and folder are synced, each by itself. It loses power at a chosen
 * call, or runs full. The folders themselves are there for good.
 */
export class SimulatedHostDisk implements Disk, CrashDisk {
  callsLeft = Number.POSITIVE_INFINITY;
  /** In order: the next call of that name fails as on a full disk. */
  failures: Failing[] = [];
  #names = new Map<string, SimulatedFile>();
  #durableNames = new Map<string, SimulatedFile>();
  #nameChanges: NameChange[] = [];
  /** Open files, and paths of open folders. */
  readonly #open = new Map<number, SimulatedFile | string>();
  #nextFd = 3;

  /** Descriptors that nobody has closed. */
  get openFiles(): number {
    return this.#open.size;
  }

  list(folder: string): string[] {
    return [...this.#names.keys()].flatMap((path) => (dirname(path) === folder ? [basename(path)] : []));
  }

  open(path: string, mode: OpenMode): number {
    const fd = this.#nextFd++;
    this.#open.set(fd, mode === 'folder' ? path : this.#find(path, mode));
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
    const folder = this.#open.get(fd);
    if (typeof folder !== 'string') {
      this.#file(fd).flush();
      return;
    }
    const isInside = ({ path }: NameChange) => dirname(path) === folder;
    for (const change of this.#nameChanges.filter(isInside)) settle(this.#durableNames, change);
    this.#nameChanges = this.#nameChanges.filter((change) => !isInside(change));
  }

  size(fd: number): number {
    return this.#file(fd).content.length;
  }

  close(fd: number): void {
    if (!this.#open.delete(fd)) throw errno('EBADF');
  }

  link(path: string, name: string): void {
    this.#call('link');
    const file = this.#find(path, 'read');
    if (this.#names.has(name)) throw errno('EEXIST');
    this.#name(name, file);
  }

  unlink(path: string): void {
    this.#call('unlink');
    if (!this.#names.has(path)) throw errno('ENOENT');
    this.#name(path, undefined);
  }

  /** Whether two names are the same file's. */
  isSame(path: string, other: string): boolean {
    return this.#find(path, 'read') === this.#find(other, 'read');
  }

  bytesOf(path: string): Uint8Array {
    return this.#find(path, 'read').content.slice();
  }

  /** Changes one byte of a file, behind the store's back. */
  rot(path: string, at: number): void {
    const { content } = this.#find(path, 'read');
    content[at] = (content[at] ?? 0) ^ 1;
  }

  restart(choose: Choose): void {
    this.callsLeft = Number.POSITIVE_INFINITY;
    this.#open.clear();
    for (const change of this.#nameChanges) if (choose(2) > 0) settle(this.#durableNames, change);
    this.#nameChanges = [];
    this.#names = new Map(this.#durableNames);
    for (const file of new Set(this.#names.values())) file.settle(choose);
  }

  #find(path: string, mode: OpenMode): SimulatedFile {
    const file = this.#names.get(path);
    if (mode !== 'create') {
      if (file === undefined) throw errno('ENOENT');
      return file;
    }
    this.#call('open');
    if (file !== undefined) throw errno('EEXIST');
    const created = new SimulatedFile();
    this.#name(path, created);
    return created;
  }

  #name(path: string, file: SimulatedFile | undefined): void {
    settle(this.#names, { path, file });
    this.#nameChanges.push({ path, file });
  }

  #file(fd: number): SimulatedFile {
    const file = this.#open.get(fd);
    if (file === undefined || typeof file === 'string') throw errno('EBADF');
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

function settle(names: Map<string, SimulatedFile>, { path, file }: NameChange): void {
  if (file === undefined) names.delete(path);
  else names.set(path, file);
}

function errno(code: string): Error {
  return Object.assign(new Error(code), { code });
}

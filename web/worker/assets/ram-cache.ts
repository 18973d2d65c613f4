import { bytesToHex } from '@noble/hashes/utils.js';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { StoredPages } from '../../../runtimes/v86/memory-image/saved-state.ts';
import { pageBytes } from '../../../wasm/pages/page-kernels.ts';
import { openKernels } from './open-kernels.ts';

/** What is read at once: one call of the browser costs as much as some 20 pages. */
const clusterPages = 16;
const clusterBytes = clusterPages * pageBytes;
const hashBytes = 16;

export interface RamCacheOptions {
  /** Let go of by this, when all is read, nobody asks any more, or something in it is damaged. */
  readonly file: FileSystemSyncAccessHandle;
  /** Where in it the pages are, bytes. */
  readonly at: number;
  /** Where they are to be. */
  readonly into: Uint8Array;
  /** Of all of them, by `hashPages`. */
  readonly hashes: Uint8Array;
  /** Clusters that the guest looked at first the last time: they are read at once. */
  readonly first: ReadonlySet<number>;
  /** Told of those of this time where there are more, with the others. */
  readonly onFirst: (clusters: ReadonlySet<number>) => void;
  /** Told of each that is found. */
  readonly onDamage: () => void;
}

/** Pages of RAM that were kept in a file: read and verified when somebody asks for them, the rest soon after. */
export class RamCache implements StoredPages {
  readonly #options: RamCacheOptions;
  /** By cluster: 1 where it is there. */
  readonly #isRead: Uint8Array;
  readonly #asked = new Set<number>();
  readonly #hashes = new PageHashes();
  #left: number;
  #isOpen = true;
  readonly #timer: ReturnType<typeof setTimeout>;

  constructor(options: RamCacheOptions) {
    this.#options = options;
    this.#isRead = new Uint8Array(Math.ceil(options.into.length / clusterBytes));
    this.#left = this.#isRead.length;
    this.#timer = setTimeout(() => this.#quietly(() => this.readAll()), limits.keptRamMs);
    this.#quietly(() => {
      for (const run of runsOf(options.first)) this.#read(run);
    });
  }

  read(place: number): void {
    const cluster = Math.floor(place / clusterPages);
    this.#asked.add(cluster);
    if (!this.#isRead[cluster]) this.#read({ from: cluster, to: cluster + 1 });
    this.#verify(place);
  }

  readAll(): void {
    for (const [cluster, isRead] of this.#isRead.entries())
      if (!isRead) this.#read({ from: cluster, to: cluster + 1 });
    for (let place = 0; place * pageBytes < this.#options.into.length; place++) this.#verify(place);
  }

  firstIsOver(): void {
    const { first, onFirst } = this.#options;
    const all = new Set([...first, ...this.#asked]);
    if (all.size > first.size) onFirst(all);
  }

  letGo(): void {
    this.#close();
  }

  #read({ from, to }: ClusterRun): void {
    const { file, at, into } = this.#options;
    const pages = into.subarray(from * clusterBytes, to * clusterBytes);
    try {
      if (!this.#isOpen || file.read(pages, { at: at + from * clusterBytes }) < pages.length)
        throw new RangeError('The file was cut short');
    } catch (cause) {
      throw this.#damaged(cause);
    }
    this.#left -= Math.ceil(pages.length / clusterBytes);
    this.#isRead.fill(1, from, to);
    if (this.#left === 0) this.#close();
  }

  #verify(place: number): void {
    const { into, hashes } = this.#options;
    const found = this.#hashes.of(into.subarray(place * pageBytes, (place + 1) * pageBytes));
    if (found.some((byte, index) => byte !== hashes[place * hashBytes + index]))
      throw this.#damaged(new RangeError(`Page ${place} was altered`));
  }

  #damaged(cause: unknown): SandboxError {
    this.#options.onDamage();
    this.#close();
    const message = 'What was kept of the machine for its start is damaged';
    return new SandboxError('corrupt-object', message, { details: { keptStart: true }, cause });
  }

  #close(): void {
    clearTimeout(this.#timer);
    if (this.#isOpen) this.#options.file.close();
    this.#isOpen = false;
  }

  /** Damage is told to who asks for the page. */
  #quietly(read: () => void): void {
    try {
      read();
    } catch (error) {
      console.info('What was kept for the start is not all there:', error);
    }
  }
}

/** Clusters that are read in one call. */
interface ClusterRun {
  readonly from: number;
  readonly to: number;
}

function runsOf(clusters: ReadonlySet<number>): ClusterRun[] {
  const runs: { from: number; to: number }[] = [];
  for (const cluster of [...clusters].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last?.to === cluster) last.to++;
    else runs.push({ from: cluster, to: cluster + 1 });
  }
  return runs;
}

/** Hashes of all pages, one after the other: they find damage, not malice. */
export function hashPages(pages: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array((pages.length / pageBytes) * hashBytes);
  const hashes = new PageHashes();
  for (let place = 0; place * pageBytes < pages.length; place++)
    all.set(hashes.of(pages.subarray(place * pageBytes, (place + 1) * pageBytes)), place * hashBytes);
  return all;
}

/** What tells one way to hash pages from another: the hash of a certain page. */
export function hashSample(): string {
  return bytesToHex(hashPages(Uint8Array.from({ length: pageBytes }, (_, at) => at % 251)));
}

/** The hash of the page kernels, on memory for one page. */
class PageHashes {
  readonly #memory = new WebAssembly.Memory({ initial: 1 });
  readonly #kernels = openKernels(this.#memory);
  readonly #page = new Uint8Array(this.#memory.buffer, 0, pageBytes);
  readonly #hash = new Uint8Array(this.#memory.buffer, pageBytes, hashBytes);

  /** Valid until the next call. */
  of(page: Uint8Array): Uint8Array {
    this.#page.set(page);
    this.#kernels.hash(0, pageBytes);
    return this.#hash;
  }
}

import type { ByteString } from '../content/byte-string.ts';
import type { Ino } from '../live/file-tree.ts';
import { ninePLimits } from './limits.ts';

/** A POSIX lock of the bytes from `start` up to `end`, which is exclusive and `Infinity` for "however long it grows". */
export interface ByteRangeLock {
  readonly start: number;
  readonly end: number;
  readonly exclusive: boolean;
  /** The kernel that asks, and which of its processes. */
  readonly clientId: ByteString;
  readonly processId: number;
  /** The open file that it was asked through. */
  readonly fid: number;
}

/**
 * The POSIX locks of all files (fcntl(2), "Advisory record locking"). An owner is a process of a client. Processes
 * that use the same open file count as one owner: Linux sends flock(2) as a POSIX lock of the calling process, and
 * `flock 9` in a shell locks in one child and unlocks in another.
 */
export class ByteRangeLocks {
  readonly #byInode = new Map<Ino, readonly ByteRangeLock[]>();
  #count = 0;

  get size(): number {
    return this.#count;
  }

  /** A lock that conflicts with `wanted`, if there is one. */
  conflict(ino: Ino, wanted: ByteRangeLock): ByteRangeLock | undefined {
    return this.#byInode
      .get(ino)
      ?.find(
        (held) => overlap(held, wanted) && (held.exclusive || wanted.exclusive) && !sameOwner(held, wanted),
      );
  }

  /** Takes `wanted`, replacing locks of the same owner in its range. `false` if there are too many locks. */
  acquire(ino: Ino, wanted: ByteRangeLock): boolean {
    // Cutting a hole into a lock makes two of it.
    if (this.#count + 2 > ninePLimits.locks) return false;
    const rest = this.#without(ino, wanted);
    this.#replace(ino, joined(rest, wanted));
    return true;
  }

  /** Releases the owner's locks in `range`. `false` if that would leave too many pieces. */
  release(ino: Ino, range: ByteRangeLock): boolean {
    const rest = this.#without(ino, range);
    const before = this.#byInode.get(ino)?.length ?? 0;
    if (this.#count - before + rest.length > ninePLimits.locks) return false;
    this.#replace(ino, rest);
    return true;
  }

  /** Releases the locks that were taken through an open file, which is being closed. */
  releaseFid(ino: Ino, fid: number): void {
    const held = this.#byInode.get(ino);
    if (held !== undefined)
      this.#replace(
        ino,
        held.filter((lock) => lock.fid !== fid),
      );
  }

  clear(): void {
    this.#byInode.clear();
    this.#count = 0;
  }

  *entries(): Iterable<[Ino, ByteRangeLock]> {
    for (const [ino, held] of this.#byInode) for (const lock of held) yield [ino, lock];
  }

  /** Adds a lock that was granted before, without a check. */
  restore(ino: Ino, lock: ByteRangeLock): void {
    this.#replace(ino, [...(this.#byInode.get(ino) ?? []), lock]);
  }

  #without(ino: Ino, range: ByteRangeLock): ByteRangeLock[] {
    const rest: ByteRangeLock[] = [];
    for (const held of this.#byInode.get(ino) ?? []) {
      if (!overlap(held, range) || !sameOwner(held, range)) {
        rest.push(held);
        continue;
      }
      if (held.start < range.start) rest.push({ ...held, end: range.start });
      if (held.end > range.end) rest.push({ ...held, start: range.end });
    }
    return rest;
  }

  #replace(ino: Ino, locks: readonly ByteRangeLock[]): void {
    this.#count += locks.length - (this.#byInode.get(ino)?.length ?? 0);
    if (locks.length === 0) this.#byInode.delete(ino);
    else this.#byInode.set(ino, locks);
  }
}

/** `lock` and its neighbours of the same kind as one, so that a file locked byte by byte costs one lock. */
function joined(others: readonly ByteRangeLock[], lock: ByteRangeLock): ByteRangeLock[] {
  let { start, end } = lock;
  const rest: ByteRangeLock[] = [];
  for (const other of others) {
    const touches = other.end === start || other.start === end;
    if (touches && other.exclusive === lock.exclusive && identical(other, lock)) {
      start = Math.min(start, other.start);
      end = Math.max(end, other.end);
    } else {
      rest.push(other);
    }
  }
  rest.push({ ...lock, start, end });
  return rest;
}

function overlap(a: ByteRangeLock, b: ByteRangeLock): boolean {
  return a.start < b.end && b.start < a.end;
}

function sameOwner(a: ByteRangeLock, b: ByteRangeLock): boolean {
  return a.clientId === b.clientId && (a.processId === b.processId || a.fid === b.fid);
}

function identical(a: ByteRangeLock, b: ByteRangeLock): boolean {
  return a.clientId === b.clientId && a.processId === b.processId && a.fid === b.fid;
}

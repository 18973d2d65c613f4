import type { ObjectId } from '../content/object-id.ts';
import type { StoredObject } from '../objects/object-store.ts';
import type { Commit } from '../objects/sandbox-store.ts';
import type { LogFile } from './log-file.ts';
import { type LogState, scanLog } from './log-scan.ts';
import type { ObjectIndex } from './object-index.ts';
import { PartBuffer, PartWriter, splitIntoParts } from './part-writer.ts';
import { storeError } from './store-error.ts';
import { storeLimits } from './store-limits.ts';
import { xxh32 } from './xxh32.ts';

/**
 * An append-only log in one file: objects by id, and refs. Every call is synchronous. Owns the
 * file.
 */
export class Log {
  readonly index: ObjectIndex;
  readonly refs: Map<string, string>;
  readonly damage: LogState['damage'];
  /** Ids of objects that were found altered; they are no longer in the index. */
  readonly corrupt: Set<ObjectId> = new Set();
  #file: LogFile;
  readonly #salt: bigint;
  readonly #buffer = new PartBuffer();
  #commit: number;
  #endBytes: number;
  #firstCommitBytes: number;
  /** The file may have bytes past the log's end: they must be removed, durably, before the next write. */
  #hasTail: boolean;

  constructor(file: LogFile, state: LogState) {
    this.#file = file;
    this.index = state.index;
    this.refs = state.refs;
    this.damage = state.damage;
    this.#salt = state.salt ?? newSalt();
    this.#commit = state.commit;
    this.#endBytes = state.endBytes;
    this.#firstCommitBytes = state.firstCommitBytes;
    this.#hasTail = file.size() > state.endBytes;
  }

  /** Reads the log in `file`; changes nothing. */
  static open(file: LogFile): Log {
    return new Log(file, scanLog(file));
  }

  get sizeBytes(): number {
    return this.#endBytes;
  }

  /** Where the first commit ends; 0 if there is none, or if it cannot be read. */
  get firstCommitBytes(): number {
    return this.#firstCommitBytes;
  }

  /** Whether anything was ever committed. */
  get isEmpty(): boolean {
    return this.#commit === 0;
  }

  /** The object's bytes, or `undefined` when it is absent or no longer what was written. @throws what the file throws */
  read(id: ObjectId): Uint8Array | undefined {
    const location = this.index.get(id);
    if (location === undefined) return undefined;
    const bytes = new Uint8Array(location.length);
    const length = this.#file.read(bytes, location.at);
    if (length === bytes.length && xxh32(bytes) === location.checksum) return bytes;
    this.index.delete(id);
    this.corrupt.add(id);
    return undefined;
  }

  /**
   * Appends a commit: one write per 4 MiB, one flush. Objects that are present are skipped. When it
   * throws, the log is as it was.
   * @throws storage-full, limit-exceeded, or whatever the file throws
   */
  append(commit: Commit): void {
    const objects = this.#absent(commit.objects);
    if (objects.length === 0 && commit.refs.length === 0) return;
    try {
      this.dropTail();
      this.#hasTail = true;
      const writer = new PartWriter(this.#file, {
        salt: this.#salt,
        commit: this.#commit + 1,
        at: this.#endBytes,
        buffer: this.#buffer,
      });
      for (const { more, ...content } of splitIntoParts({ objects, refs: commit.refs })) {
        writer.write(content, { more });
      }
      this.#file.flush();
      this.#hasTail = false;
      this.#accept(writer, commit);
    } catch (error) {
      this.#tryDropTail();
      throw error;
    }
  }

  /** Truncates what a crash or a failed commit left behind. @throws what the file throws */
  dropTail(): void {
    if (!this.#hasTail) return;
    this.#file.truncate(this.#endBytes);
    this.#file.flush();
    this.#hasTail = false;
  }

  /** Bytes of the log that are not frozen. */
  get openBytes(): number {
    return this.#endBytes - (this.#file.frozenBytes ?? 0);
  }

  /** Continues in `file`, which has the same bytes so far. */
  moveTo(file: LogFile): void {
    this.#file.close();
    this.#file = file;
  }

  /**
   * Turns `file`, which consists of the frozen first bytes of this log, into the same log with other refs. Durable
   * when it returns. @throws storage-full, or whatever the files throw
   */
  cloneInto(file: LogFile, refs: ReadonlyMap<string, string>): void {
    for (const { at, bytes } of this.#pieces(file.frozenBytes ?? 0)) {
      // A full disk may show as a short write instead of an exception.
      if (file.write(bytes, at) < bytes.length) throw storeError('storage-full', 'The disk is full');
    }
    // A commit says that what lies before it is durable.
    file.flush();
    const writer = new PartWriter(file, {
      salt: this.#salt,
      commit: this.#commit + 1,
      at: this.#endBytes,
      buffer: this.#buffer,
    });
    const gone = [...this.refs.keys()].filter((name) => !refs.has(name));
    writer.write(
      {
        objects: [],
        refs: [
          ...gone.map((name) => ({ name, value: undefined })),
          ...[...refs].map(([name, value]) => ({ name, value })),
        ],
      },
      { more: false },
    );
    file.flush();
  }

  close(): void {
    this.#file.close();
  }

  /** The log from `start` on, as it is in the file. */
  *#pieces(start: number): Generator<{ at: number; bytes: Uint8Array }> {
    for (let at = start; at < this.#endBytes; at += copyBytes) {
      const bytes = new Uint8Array(Math.min(copyBytes, this.#endBytes - at));
      // Bytes that cannot be read are lost; they are as damaged in the copy.
      this.#file.read(bytes, at);
      yield { at, bytes };
    }
  }

  #accept(writer: PartWriter, commit: Commit): void {
    for (const [id, location] of writer.locations) {
      this.index.set(id, location);
      this.corrupt.delete(id);
    }
    for (const { name, value } of commit.refs) {
      if (value === undefined) this.refs.delete(name);
      else this.refs.set(name, value);
    }
    this.#commit++;
    this.#endBytes = writer.endBytes;
    if (this.#commit === 1) this.#firstCommitBytes = this.#endBytes;
  }

  /** Frees the space at once; if that fails, the next commit tries again. */
  #tryDropTail(): void {
    try {
      this.dropTail();
    } catch {
      // The original error says more than this one.
    }
  }

  #absent(objects: readonly StoredObject[]): StoredObject[] {
    const fresh = new Map<ObjectId, StoredObject>();
    for (const object of objects) {
      if (fresh.has(object.id) || this.index.has(object.id)) continue;
      if (object.bytes.length > storeLimits.objectBytes) {
        throw storeError(
          'limit-exceeded',
          `Cannot store object ${object.id}: ${object.bytes.length} bytes, ${storeLimits.objectBytes} is the most`,
        );
      }
      fresh.set(object.id, object);
    }
    return [...fresh.values()];
  }
}

/** Bytes that are copied at a time. */
const copyBytes = 1_048_576;

/** A random salt for a new log. */
export function newSalt(): bigint {
  return crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;
}

import type { ObjectId } from '../content/object-id.ts';
import { nextTask } from '../next-task.ts';
import { byName } from '../objects/memory-store.ts';
import type { StoredObject } from '../objects/object-store.ts';
import { assertRefChange, type Commit, type SandboxStore } from '../objects/sandbox-store.ts';
import type { Log } from './log.ts';
import { LogCopy } from './log-copy.ts';
import type { LogDirectory, LogFile } from './log-file.ts';
import { type OpenedLog, openNewestLog } from './newest-log.ts';
import { type StoreErrorCode, storeError } from './store-error.ts';
import { storeLimits } from './store-limits.ts';

/** Bytes that a sweep copies between two yields to other work. */
const sliceBytes = 1_048_576;

interface OpenOptions {
  /** Called once the files are closed. */
  readonly onClose?: () => void;
}

/**
 * A sandbox's store in one append-only log (log-part.ts), written through a synchronous file handle: of the
 * origin's private file system, or of a host. One commit is one write and one flush. It has one writer, which the
 * caller ensures by a lock.
 */
export class LogStore implements SandboxStore {
  readonly backend: SandboxStore['backend'];
  readonly #directory: LogDirectory;
  #generation: number;
  #log: Log;
  #closed = false;
  /** While a sweep runs: ids that were committed or looked up since it began, which it must keep. */
  #kept: Set<ObjectId> | undefined;
  #sweeping: Promise<unknown> = Promise.resolve();
  /** The reason that writes are refused, if they are. */
  #failed: Error | undefined;
  readonly #onClose: (() => void) | undefined;

  private constructor(directory: LogDirectory, opened: OpenedLog & OpenOptions) {
    this.backend = directory.backend;
    this.#directory = directory;
    this.#onClose = opened.onClose;
    this.#generation = opened.generation;
    this.#log = opened.log;
  }

  /**
   * Opens the newest whole log; removes what a crash left after its last commit, and older files.
   * @throws not-found when it is read-only and there is none; version-mismatch; busy
   */
  static async open(directory: LogDirectory, options: OpenOptions = {}): Promise<LogStore> {
    try {
      return new LogStore(directory, { ...options, ...(await openNewestLog(directory)) });
    } catch (error) {
      throw directory.toError('open the store', error);
    }
  }

  get sizeBytes(): number {
    return this.#log.sizeBytes;
  }

  /** What a sweep keeps is the first commit of a new log. */
  get sweptBytes(): number {
    return this.#log.firstCommitBytes;
  }

  get corrupt(): ReadonlySet<ObjectId> {
    return this.#log.corrupt;
  }

  /** Ranges of the log that cannot be read: offset and length in bytes. */
  get damage(): readonly { readonly at: number; readonly bytes: number }[] {
    return this.#log.damage;
  }

  async has(ids: readonly ObjectId[]): Promise<Set<ObjectId>> {
    this.#assertOpen();
    const present = ids.filter((id) => this.#log.index.has(id));
    // A caller that learns that an object exists will not put it again, so a sweep must not delete it.
    for (const id of present) this.#kept?.add(id);
    return new Set(present);
  }

  async get(id: ObjectId): Promise<Uint8Array | undefined> {
    return this.readSync(id);
  }

  readSync(id: ObjectId): Uint8Array | undefined {
    this.#assertOpen();
    return this.#attempt('read from the store', () => this.#log.read(id));
  }

  sizeOf(id: ObjectId): number {
    this.#assertOpen();
    return this.#log.index.get(id)?.length ?? 0;
  }

  ref(name: string): string | undefined {
    this.#assertOpen();
    return this.#log.refs.get(name);
  }

  refs(prefix: string): [name: string, value: string][] {
    this.#assertOpen();
    return [...this.#log.refs].filter(([name]) => name.startsWith(prefix)).sort(byName);
  }

  put(objects: readonly StoredObject[]): Promise<void> {
    return this.commit({ objects, refs: [] });
  }

  async commit(commit: Commit): Promise<void> {
    this.#assertWritable();
    commit.refs.forEach(assertRefChange);
    this.#attempt('save to the store', () => this.#log.append(commit));
    for (const { id } of commit.objects) this.#kept?.add(id);
  }

  /**
   * Copies live objects into a new log, switches to it and deletes the old one. Commits and reads continue
   * meanwhile. Needs space for the copy.
   * @throws busy while another sweep runs; storage-full
   */
  async sweep(live: ReadonlySet<ObjectId>): Promise<number> {
    this.#assertWritable();
    if (this.#kept) throw this.#refusal('busy', 'Cannot collect garbage: it is being collected');
    const kept = new Set<ObjectId>();
    this.#kept = kept;
    const done = this.#copyLive({ has: (id) => live.has(id) || kept.has(id) }, kept);
    this.#sweeping = done.catch(() => undefined);
    try {
      return await done;
    } catch (error) {
      throw this.#directory.toError('collect garbage', error);
    } finally {
      this.#kept = undefined;
    }
  }

  /**
   * Creates in `target`, which has no log, a store with the objects of this one and `refs`. It shares the frozen
   * files of the log, which then count for both stores, and copies the rest. Synchronous, so no commit can come in
   * between. Durable when it returns. Answers `false` if too little can be shared; then, and if it throws, the
   * caller removes what is in `target`.
   * @throws storage-full
   */
  cloneInto(target: LogDirectory, refs: ReadonlyMap<string, string>): boolean {
    this.#assertOpen();
    if (target.adopt === undefined) return false;
    try {
      this.#freeze();
      const log = this.#log;
      const file = target.adopt(this.#directory, { generation: this.#generation, endBytes: log.sizeBytes });
      try {
        if (log.sizeBytes - (file.frozenBytes ?? 0) > storeLimits.cloneCopyBytes) return false;
        log.cloneInto(file, refs);
        return true;
      } finally {
        file.close();
      }
    } catch (error) {
      throw this.#directory.toError('clone the store', error);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#sweeping;
    this.#log.close();
    this.#onClose?.();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #copyLive(live: { has(id: ObjectId): boolean }, kept: ReadonlySet<ObjectId>): Promise<number> {
    const old = this.#log;
    if ([...old.index.entries()].every(([id]) => live.has(id))) return 0;
    const generation = this.#generation + 1;
    const file = await this.#directory.open(generation);
    try {
      const copy = new LogCopy(file);
      for (const slice of slices(old, live)) {
        copy.add(slice);
        await nextTask();
        this.#assertOpen();
      }
      // Nothing below awaits, so nothing can be committed to the old log any more.
      const late = [...kept].filter((id) => !copy.has(id)).map((id) => ({ id, bytes: old.read(id) }));
      copy.add(late.filter((object): object is StoredObject => object.bytes !== undefined));
      this.#log = copy.finish(old.refs);
    } catch (error) {
      await this.#discard(generation, file);
      throw error;
    }
    const leaving = this.#generation;
    this.#generation = generation;
    old.close();
    // If the file remains, the next opening removes it.
    await this.#directory.remove(leaving).catch(() => undefined);
    return Math.max(0, old.sizeBytes - this.#log.sizeBytes);
  }

  /** If the log's last file is large, continues the log in a new file, so that the large one can be shared. */
  #freeze(): void {
    const log = this.#log;
    if (this.#directory.readOnly || this.#failed || log.openBytes < storeLimits.sharedFileBytes) return;
    log.dropTail();
    const file = this.#directory.split?.(this.#generation, log.sizeBytes);
    if (file === undefined) return;
    log.moveTo(file);
    file.flush();
  }

  /** An unfinished copy must not remain while later commits go to the old log: an opening could choose it. */
  async #discard(generation: number, file: LogFile): Promise<void> {
    try {
      file.truncate(0);
      file.flush();
    } catch (error) {
      this.#failed = this.#directory.toError('remove an unfinished copy of the store', error);
    }
    file.close();
    // An empty file may remain: the next sweep reuses it, the next opening removes it.
    await this.#directory.remove(generation).catch(() => undefined);
  }

  #attempt<Value>(action: string, work: () => Value): Value {
    try {
      return work();
    } catch (error) {
      throw this.#directory.toError(action, error);
    }
  }

  #refusal(code: StoreErrorCode, message: string): Error {
    return this.#directory.toError('use the store', storeError(code, message));
  }

  #assertOpen(): void {
    if (this.#closed) throw this.#refusal('connection-lost', 'The store is closed');
  }

  #assertWritable(): void {
    this.#assertOpen();
    if (this.#directory.readOnly) throw this.#refusal('read-only', 'Cannot write: the store is read-only');
    if (this.#failed) throw this.#failed;
  }
}

/** Live objects in the order of the log, a few megabytes at a time. */
function* slices(log: Log, live: { has(id: ObjectId): boolean }): Generator<StoredObject[]> {
  let slice: StoredObject[] = [];
  let size = 0;
  for (const [id] of log.index.entries()) {
    const bytes = live.has(id) ? log.read(id) : undefined;
    if (bytes === undefined) continue;
    slice.push({ id, bytes });
    size += bytes.length;
    if (size < sliceBytes) continue;
    yield slice;
    slice = [];
    size = 0;
  }
  yield slice;
}

import { randomUUID } from 'node:crypto';
import { orAborted } from '../protocol/abort.ts';
import { type ErrorData, SandboxError } from '../protocol/errors.ts';
import { limits } from '../protocol/limits.ts';
import { describeRuntime } from '../protocol/runtime-description.ts';
import type { CreateOptions, SandboxBackend, StartOptions } from '../protocol/sandbox/backend.ts';
import type { CloseOptions, SandboxConnection } from '../protocol/sandbox/connection.ts';
import type { Progress, ProgressListener } from '../protocol/sandbox/progress.ts';
import { Shares } from '../protocol/shares.ts';
import { isUnsaved, lostChanges, unsavedChanges } from '../protocol/unsaved-changes.ts';

/** The use of an open sandbox. Whoever borrows releases, once. */
export interface Lease extends Disposable {
  /** @throws not-found once the sandbox is being deleted */
  readonly connection: SandboxConnection;
  /** Another each time the sandbox is opened: event numbers of one epoch mean nothing in the next. */
  readonly epoch: string;
}

export interface BorrowOptions {
  readonly signal?: AbortSignal | undefined;
  /** Told how far its opening is, whoever asked for it first. */
  readonly onProgress?: ProgressListener | undefined;
}

export interface ReadOnlyOptions {
  /** Whom the machine is counted to. */
  readonly account: string;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress: (progress: Progress) => void;
}

export interface OpenSandboxesOptions {
  /** Sandboxes open at once; `limits.openSandboxes` by default. */
  readonly most?: number;
  /** How long one stays open that nobody uses; `limits.idleSandboxMs` by default. */
  readonly idleMs?: number;
  /** Told when one does not close as it should, which no client waits for, and of the changes that are lost with one. */
  readonly onCloseFailed?: (id: string, error: unknown) => void;
}

interface Entry {
  readonly id: string;
  readonly epoch: string;
  readonly connection: Promise<SandboxConnection>;
  /** Aborts the opening, when the last one who waits for it has gone. */
  readonly giveUp: AbortController;
  /** Told how far the opening is. */
  readonly listeners: Set<ProgressListener>;
  users: number;
  isOpen: boolean;
  /** Its machine has stopped by itself, and none has been started since. */
  hasFailed: boolean;
  /** It is closed to be deleted: nothing of it can be lost any more. */
  isDeleted: boolean;
  /** Somebody gives up what of it cannot be saved. */
  isDiscarded: boolean;
  /** It was not closed when it was idle, for what would be lost: it makes no room. */
  isUnsaved: boolean;
  idleTimer: NodeJS.Timeout | undefined;
}

interface Closing {
  readonly entry: Entry;
  readonly ended: Promise<void>;
}

/**
 * Opens each sandbox once and lends it to all who ask: requests, streams and sockets. One that nobody
 * uses stays open for a while, because the next request is seldom far; past `most`, the one that has
 * been idle longest makes room.
 */
export class OpenSandboxes implements AsyncDisposable {
  readonly #backend: SandboxBackend;
  readonly #most: number;
  readonly #idleMs: number;
  readonly #onCloseFailed: NonNullable<OpenSandboxesOptions['onCloseFailed']>;
  /** In the order in which they were last used. */
  readonly #entries = new Map<string, Entry>();
  readonly #closing = new Map<string, Closing>();
  /** Those that one client has to itself. */
  readonly #apart = new Set<SandboxConnection>();
  readonly #apartShares = new Shares({
    most: limits.openSandboxes,
    mostOfAccount: limits.readOnlySandboxesOfAccount,
    name: 'sandboxes open to look on',
  });
  /** Starts of new sandboxes, and of those that one client has to itself. */
  readonly #starting = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();
  #disposed: Promise<void> | undefined;

  constructor(backend: SandboxBackend, options: OpenSandboxesOptions = {}) {
    this.#backend = backend;
    this.#most = options.most ?? limits.openSandboxes;
    this.#idleMs = options.idleMs ?? limits.idleSandboxMs;
    this.#onCloseFailed = options.onCloseFailed ?? (() => {});
  }

  /** How many are open, or on their way there. */
  get count(): number {
    return this.#entries.size;
  }

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  /**
   * The sandbox, opened if it is not.
   * @throws not-found, busy (too many are open, all in use), aborted, connection-lost (after disposal)
   */
  async borrow(id: string, options: BorrowOptions = {}): Promise<Lease> {
    const entry = await this.#enter(id);
    // One of its own for each client, which may borrow with the same one twice.
    const listener: ProgressListener = (progress) => options.onProgress?.(progress);
    if (!entry.isOpen) entry.listeners.add(listener);
    try {
      const what = `Cannot open sandbox "${id}"`;
      const connection = await orAborted(entry.connection, { signal: options.signal, what });
      return this.#lend(entry, connection);
    } catch (error) {
      this.#leave(entry);
      throw error;
    } finally {
      entry.listeners.delete(listener);
    }
  }

  /**
   * `borrow` of a sandbox whose machine runs: one that has stopped by itself is opened anew, and calls of whoever uses
   * it reject with `connection-lost`. @throws as `borrow`, and what closing it throws
   */
  async start(id: string, options: BorrowOptions = {}): Promise<Lease> {
    if (this.#entries.get(id)?.hasFailed) await this.close(id);
    return this.borrow(id, options);
  }

  /** A new sandbox, lent to who made it. @throws busy, and what the backend's `create` throws */
  async create(
    options: CreateOptions & StartOptions,
    onProgress: (progress: Progress) => void = () => {},
  ): Promise<Lease> {
    return this.#starts(options.signal, async (signal) =>
      this.#adopt(await this.#backend.create({ ...options, signal }, onProgress)),
    );
  }

  /**
   * The sandbox as it is saved, for one who looks on: a machine of its own, which takes up room like
   * another sandbox and closes when it is released. Until it is closed, it is of the share of its account.
   * @throws as `borrow`, and busy when the account has its share
   */
  async openReadOnly(id: string, { account, signal, onProgress }: ReadOnlyOptions): Promise<Lease> {
    this.#assertOpen();
    const giveBack = this.#apartShares.take(account, `Cannot open sandbox "${id}"`);
    try {
      const connection = await this.#starts(signal, async (signal) => {
        const opened = await this.#backend.open({ id, readOnly: true, signal }, onProgress);
        this.#apart.add(opened);
        return opened;
      });
      const release = () => {
        if (!this.#apart.delete(connection)) return;
        const onFailed = (error: unknown) => this.#onCloseFailed(id, error);
        void connection.close().catch(onFailed).finally(giveBack);
      };
      if (this.#disposed) release();
      this.#assertOpen();
      return { connection, epoch: newEpoch(), [Symbol.dispose]: release };
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  /**
   * Closes a sandbox whoever uses it: calls under way reject with `connection-lost`, those from then on too, or with `not-found`
   * where it is closed to be deleted. Does nothing when it is not open.
   * @throws `unsavedChanges`, and it stays open, where its end would lose some that are not to be discarded
   */
  async close(
    id: string,
    { deletes = false, discard = false }: CloseOptions & { readonly deletes?: boolean } = {},
  ): Promise<void> {
    const entry = this.#entries.get(id) ?? this.#closing.get(id)?.entry;
    if (!entry) return;
    entry.isDeleted ||= deletes;
    entry.isDiscarded ||= discard;
    const options = { discard: discard || deletes };
    // One that is being closed for another client may be refused what this one gives up.
    const closing = this.#closing.get(id)?.ended.catch((error) => {
      if (isUnsaved(error) && options.discard) return this.#end(entry, options);
      throw error;
    });
    const ended = closing ?? this.#end(entry, options);
    // What does not close as it should is to be deleted as well.
    await (deletes ? ended.catch(() => undefined) : ended);
  }

  /** @throws `unsavedChanges` where one that is open would lose some with its end */
  async assertSaved(): Promise<void> {
    for (const { connection } of this.#entries.values()) {
      const open = await connection.catch(() => undefined);
      const [info, storage] = (await Promise.all([open?.info.get(), open?.info.storage()])) ?? [];
      if (!info || !storage?.stopped || describeRuntime(info.runtime)?.filesOnHost) continue;
      throw unsavedChanges(info.name, SandboxError.from(storage.stopped));
    }
  }

  /** Closes all of them; after that nothing is lent. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#disposed ??= (async () => {
      this.#stopping.abort();
      await Promise.allSettled(this.#starting);
      const ended = await Promise.allSettled([
        ...[...this.#entries.values(), ...[...this.#closing.values()].map(({ entry }) => entry)].map(
          (entry) => this.#endForGood(entry),
        ),
        ...[...this.#apart].map((connection) => connection.close()),
      ]);
      this.#apart.clear();
      const failed = ended.find((each) => each.status === 'rejected');
      if (failed) throw failed.reason;
    })();
    return this.#disposed;
  }

  /** Counts the caller in before anything else can run: an entry with users is never made room of. */
  async #enter(id: string): Promise<Entry> {
    for (;;) {
      this.#assertOpen();
      const closing = this.#closing.get(id);
      const entry = this.#entries.get(id);
      if (closing)
        await closing.ended.catch(() => {}); // Whoever closed it is told of the failure.
      else if (entry) return this.#use(entry);
      else if (this.#hasRoom()) return this.#use(this.#start(id));
      else await this.#closeLongestIdle();
    }
  }

  #use(entry: Entry): Entry {
    entry.users++;
    entry.isUnsaved = false;
    clearTimeout(entry.idleTimer);
    this.#entries.delete(entry.id);
    this.#entries.set(entry.id, entry);
    return entry;
  }

  #start(id: string): Entry {
    const giveUp = new AbortController();
    const listeners: Entry['listeners'] = new Set();
    const onProgress: ProgressListener = (progress) => {
      for (const listener of listeners) listener(progress);
    };
    const connection = this.#backend.open({ id, signal: giveUp.signal }, onProgress);
    return this.#add(id, { connection, giveUp, listeners });
  }

  /** Counts what starts, and is counted otherwise once it has; disposal aborts it and waits for its end. @throws busy */
  async #starts<T>(signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    while (!this.#hasRoom()) await this.#closeLongestIdle();
    this.#assertOpen();
    const { signal: stopping } = this.#stopping;
    const started = start(signal ? AbortSignal.any([signal, stopping]) : stopping);
    this.#starting.add(started);
    try {
      return await started;
    } catch (error) {
      this.#assertOpen();
      throw error;
    } finally {
      this.#starting.delete(started);
    }
  }

  async #adopt(connection: SandboxConnection): Promise<Lease> {
    try {
      this.#assertOpen();
      const { id } = await connection.info.get();
      const opened = { connection: Promise.resolve(connection), giveUp: new AbortController() };
      const entry = this.#add(id, { ...opened, listeners: new Set() });
      return this.#lend(this.#use(entry), connection);
    } catch (error) {
      await connection.close().catch(() => undefined); // Of both, the first is told.
      throw error;
    }
  }

  #add(id: string, facts: Pick<Entry, 'connection' | 'giveUp' | 'listeners'>): Entry {
    const entry: Entry = {
      id,
      epoch: newEpoch(),
      ...facts,
      users: 0,
      isOpen: false,
      hasFailed: false,
      isDeleted: false,
      isDiscarded: false,
      isUnsaved: false,
      idleTimer: undefined,
    };
    this.#entries.set(id, entry);
    facts.connection
      .then((connection) => {
        entry.isOpen = true;
        // Its store or its machine may end without us: then the next one opens it anew.
        return connection.events.subscribe({ after: 0 }, (event) => {
          if (event.type === 'closed') this.#onClosed(entry, event.lost);
          else if (event.type === 'machine-failed') entry.hasFailed = true;
          // A checkout starts another one.
          else if (event.type === 'head') entry.hasFailed = false;
        });
      })
      .catch(() => this.#forget(entry));
    return entry;
  }

  #lend(entry: Entry, connection: SandboxConnection): Lease {
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      this.#leave(entry);
    };
    return {
      get connection() {
        if (!entry.isDeleted) return connection;
        throw new SandboxError('not-found', `The sandbox "${entry.id}" is being deleted`);
      },
      epoch: entry.epoch,
      [Symbol.dispose]: release,
    };
  }

  #leave(entry: Entry): void {
    entry.users--;
    if (entry.users > 0 || this.#entries.get(entry.id) !== entry) return;
    if (!entry.isOpen) void this.#endQuietly(entry);
    else this.#whenIdle(entry);
  }

  async #closeLongestIdle(): Promise<void> {
    const idle = [...this.#entries.values()].find(({ users, isUnsaved }) => users === 0 && !isUnsaved);
    const [closing] = this.#closing.values();
    // Whoever needs the place is not told what becomes of another sandbox.
    if (idle) await this.#endQuietly(idle);
    else if (closing) await closing.ended.catch(() => {});
    else {
      const message = `Cannot open another sandbox: ${this.#most} are open, and in use or not saved`;
      throw new SandboxError('busy', message, { details: { limit: this.#most } });
    }
  }

  #hasRoom(): boolean {
    const taken = this.#entries.size + this.#closing.size + this.#apart.size + this.#starting.size;
    return taken < this.#most;
  }

  #endQuietly(entry: Entry): Promise<void> {
    return this.#end(entry).catch((error: unknown) => this.#onCloseFailed(entry.id, error));
  }

  /** For a bridge that stops: what cannot be saved is an error of its end. @throws `lostChanges` */
  async #endForGood(entry: Entry): Promise<void> {
    try {
      await (this.#closing.get(entry.id)?.ended ?? this.#end(entry));
    } catch (error) {
      if (!isUnsaved(error)) throw error;
      await this.#end(entry, { discard: true });
      throw lostChanges(entry.id, SandboxError.from(error));
    }
  }

  #onClosed(entry: Entry, lost: ErrorData | undefined): void {
    if (lost && !entry.isDeleted && !entry.isDiscarded)
      this.#onCloseFailed(entry.id, SandboxError.from(lost));
    this.#forget(entry);
  }

  #end(entry: Entry, options: CloseOptions = {}): Promise<void> {
    this.#forget(entry);
    entry.giveUp.abort();
    const closed = (async () => {
      const connection = await entry.connection.catch(() => undefined);
      await connection?.close(options).catch((error) => {
        if (isUnsaved(error)) this.#keep(entry);
        throw error;
      });
    })();
    const closing = { entry, ended: closed };
    this.#closing.set(entry.id, closing);
    const done = () => {
      if (this.#closing.get(entry.id) === closing) this.#closing.delete(entry.id);
    };
    closed.then(done, done);
    return closed;
  }

  /** It is open still: its users go on, and it is tried again once it has been idle. */
  #keep(entry: Entry): void {
    entry.isUnsaved = true;
    this.#closing.delete(entry.id);
    this.#entries.set(entry.id, entry);
    if (entry.users === 0) this.#whenIdle(entry);
  }

  #whenIdle(entry: Entry): void {
    entry.idleTimer = setTimeout(() => void this.#endQuietly(entry), this.#idleMs).unref();
  }

  #forget(entry: Entry): void {
    clearTimeout(entry.idleTimer);
    if (this.#entries.get(entry.id) === entry) this.#entries.delete(entry.id);
  }

  #assertOpen(): void {
    if (this.#disposed) throw new SandboxError('connection-lost', 'The bridge is stopping');
  }
}

function newEpoch(): string {
  return randomUUID().slice(0, 8);
}

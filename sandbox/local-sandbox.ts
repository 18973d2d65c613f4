import { SandboxError } from '../protocol/errors.ts';
import { limits } from '../protocol/limits.ts';
import type {
  ArchiveReader,
  Change,
  CheckoutOptions,
  ExecRequest,
  FileInfo,
  HistoryView,
  ParcelOptions,
  ParcelReader,
  ProcessEvent,
  ProcessHandle,
  SandboxConnection,
  SandboxEvent,
  SandboxInfo,
  SnapshotInfo,
  SnapshotIntake,
  StorageInfo,
  TreeRef,
} from '../protocol/sandbox.ts';
import type { History } from '../tree/history/history.ts';
import type { SnapshotId } from '../tree/history/snapshot-record.ts';
import type { LiveTree } from '../tree/live/live-tree.ts';
import type { SandboxStore } from '../tree/objects/sandbox-store.ts';
import type { SealedTree } from '../tree/objects/sealed-tree.ts';
import { writeTar } from '../tree/tar/write-tar.ts';
import { CaptureTimer } from './capture-timer.ts';
import { Capturer } from './capturer.ts';
import { changedFiles } from './changed-files.ts';
import { CommandLog } from './command-log.ts';
import { EventLog } from './event-log.ts';
import { listFiles, readFile, statFile } from './file-access.ts';
import { FirstSnapshot } from './first-snapshot.ts';
import { changeGuestFile, type GuestFileOptions } from './guest-files.ts';
import { LocalIntake } from './local-intake.ts';
import { type ImageObjects, openSnapshotParcel } from './parcel-stream.ts';
import { startProcess } from './process-starter.ts';
import { receiveObjects } from './receive-snapshot.ts';
import type { SandboxMachine } from './sandbox-machine.ts';
import { type AroundWork, justWork } from './sandbox-work.ts';
import type { Snapshotter } from './snapshotter.ts';
import { TarReader } from './tar-reader.ts';
import { Turns } from './turns.ts';

export interface LocalSandboxParts {
  readonly info: SandboxInfo;
  readonly store: SandboxStore;
  readonly history: History;
  readonly tree: LiveTree;
  readonly snapshotter: Snapshotter;
  readonly image: ImageObjects;
  /** Makes its machine, which is the sandbox's; `onFailure` is to be told when it stops by itself, or cannot be started again. */
  readonly makeMachine: (onFailure: (error: SandboxError) => void) => SandboxMachine;
  readonly readOnly: boolean;
  /** Makes another sandbox that begins with a snapshot of this one, whose tree is `tree` if it is at hand. */
  readonly fork: (
    id: SnapshotId,
    options: { name?: string; tree: SealedTree | undefined },
  ) => Promise<SandboxInfo>;
  /** What is left to do once the machine runs, until the signal ends it. */
  readonly afterStart?: (options: AfterStart) => void;
  readonly quota: () => Promise<Pick<StorageInfo, 'usageBytes' | 'quotaBytes' | 'persisted'>>;
  /** Notes how long what clients ask for takes. */
  readonly around?: AroundWork | undefined;
}

/** What the work after a start gets. */
interface AfterStart {
  /** Aborted when the sandbox closes. */
  readonly signal: AbortSignal;
  /** Tells how much of the image is kept for use without network. */
  readonly onOffline: (doneBytes: number, totalBytes: number) => void;
}

/**
 * A sandbox in this process: its store, its tree, and the machine that runs on them. Snapshots,
 * checkouts and what else must not overlap take turns. Owns the machine and the store.
 */
export class LocalSandbox implements SandboxConnection {
  readonly #parts: LocalSandboxParts;
  readonly #around: AroundWork;
  readonly #events = new EventLog();
  readonly #commands = new CommandLog();
  readonly #turns = new Turns();
  readonly #captures: CaptureTimer;
  readonly #capturer: Capturer;
  readonly #machine: SandboxMachine;
  /** Where a reader who may not move HEAD has gone to. */
  #lookingAt: SnapshotId | undefined;
  readonly #closing = new AbortController();
  /** Of a new sandbox. */
  #first: FirstSnapshot | undefined;
  #intake: Promise<LocalIntake<SnapshotInfo>> | undefined;
  #closed: Promise<void> | undefined;

  private constructor(parts: LocalSandboxParts) {
    this.#parts = parts;
    this.#around = parts.around ?? justWork;
    this.#captures = new CaptureTimer(() => this.#capture(), {
      isCommandRunning: () => this.#commands.isRunning,
    });
    this.#capturer = new Capturer({
      ...parts,
      commands: this.#commands,
      events: this.#events,
      onSealed: (tree) => this.#machine.publishing?.(tree),
      onPublished: () => this.#machine.published?.(parts.snapshotter.treeId, parts.snapshotter.lastSnapshot),
    });
    this.#machine = parts.makeMachine((error) =>
      this.#events.emit({ type: 'machine-failed', error: error.toData() }),
    );
  }

  /** Starts the machine at HEAD. Closes nothing of `parts` when it fails: they are the caller's until it resolves. */
  static async start(parts: LocalSandboxParts & { signal?: AbortSignal | undefined }): Promise<LocalSandbox> {
    const sandbox = new LocalSandbox(parts);
    try {
      await sandbox.#machine.start({ signal: parts.signal });
    } catch (error) {
      await sandbox.#machine[Symbol.asyncDispose]();
      throw error;
    }
    parts.tree.rearm();
    if (parts.history.head === undefined && !parts.readOnly) sandbox.#begin();
    if (sandbox.#machine.goesOn) sandbox.noteChange();
    sandbox.#events.emit({ type: 'ready' });
    parts.afterStart?.({
      signal: sandbox.#closing.signal,
      onOffline: (doneBytes, totalBytes) => sandbox.#events.emit({ type: 'offline', doneBytes, totalBytes }),
    });
    return sandbox;
  }

  /** To be called when the tree has changed (`LiveTreeOptions.onChange`). */
  noteChange(): void {
    if (!this.#parts.readOnly) this.#captures.touch();
  }

  async info(): Promise<SandboxInfo> {
    return this.#parts.info;
  }

  async exec(
    request: ExecRequest,
    listener: (event: ProcessEvent) => void | Promise<void>,
  ): Promise<ProcessHandle> {
    const machine = await this.#machine.running();
    const { replaced } = this.#machine;
    return startProcess(request, listener, {
      tree: this.#parts.tree,
      commands: this.#commands,
      captures: this.#captures,
      machine,
      sync: () => this.#machine.sync(),
      isCaptured: () => this.#captures.isIdle && !this.#capturer.stopped,
      begun: async () => this.#first?.now(),
      isReplaced: () => this.#machine.replaced !== replaced,
      onCommand: (ended) => this.#events.emit({ type: 'command', ...ended }),
    });
  }

  async readFile(path: string, at: TreeRef = 'now'): Promise<Uint8Array> {
    return readFile(await this.#view(at), path);
  }

  async listFiles(path: string, at: TreeRef = 'now'): Promise<FileInfo[]> {
    return listFiles(await this.#view(at), path);
  }

  async statFile(path: string, at: TreeRef = 'now'): Promise<FileInfo> {
    return statFile(await this.#view(at), path);
  }

  writeFile(path: string, bytes: Uint8Array, options: { mode?: number } = {}): Promise<void> {
    return this.#changeFile('write', { path, bytes, ...options });
  }

  makeDirectory(path: string): Promise<void> {
    return this.#changeFile('makeDirectory', { path });
  }

  removeFile(path: string): Promise<void> {
    return this.#changeFile('remove', { path });
  }

  renameFile(from: string, to: string): Promise<void> {
    return this.#changeFile('rename', { path: from, to });
  }

  async history(): Promise<HistoryView> {
    await this.#first?.taken;
    this.#assertOpen();
    const { history, tree, snapshotter } = this.#parts;
    const head = this.#head();
    const changed = changedFiles(tree, snapshotter.lastSnapshot);
    return {
      snapshots: history.list(),
      head,
      pending: {
        created: changed.created.length,
        modified: changed.modified.length,
        deleted: changed.deleted.length,
        paths: [...changed.created, ...changed.modified, ...changed.deleted].slice(0, limits.snapshotPaths),
      },
    };
  }

  async createSnapshot(options: { label?: string } = {}): Promise<SnapshotInfo> {
    this.#assertWritable('take a snapshot');
    return this.#around('snapshot.create', async () => {
      await this.#machine.sync({ mustAnswer: true, isPublished: true });
      return this.#inTurn(async () => {
        const snapshot = await this.#capturer.publish({ type: 'manual', label: options.label ?? '' });
        await this.#capturer.thinOut();
        return snapshot;
      });
    });
  }

  checkout(
    id: SnapshotId,
    { discard = false }: CheckoutOptions = {},
  ): Promise<{ head: SnapshotId; left: SnapshotId }> {
    const { history, snapshotter, readOnly } = this.#parts;
    const goBack = async () => {
      await snapshotter.prepare(id);
      // A guest that hangs has no more time than its processes get to die.
      const obeys = await this.#machine.sync({ timeoutMs: limits.remountTimeoutMs, isPublished: !discard });
      const left = readOnly || discard ? this.#head() : (await this.#capturer.capture()).id;
      if (readOnly) this.#lookingAt = id;
      // A store without any room can still go back to where HEAD is.
      else if (id !== history.head) await history.moveHead(id);
      try {
        await this.#machine.replaceFiles(() => snapshotter.restore(id), { obeys });
      } finally {
        this.#commands.clear();
        this.#parts.tree.rearm();
        this.#events.emit({ type: 'head', head: id });
      }
      // What could not be saved is no more.
      if (this.#capturer.stopped) this.#captures.hurry();
      return { head: id, left };
    };
    return this.#around('snapshot.checkout', () => this.#inTurn(goBack));
  }

  fork(id: SnapshotId, options: { name?: string } = {}): Promise<SandboxInfo> {
    const { fork, snapshotter } = this.#parts;
    return this.#around('sandbox.fork', () =>
      this.#inTurn(() => fork(id, { ...options, tree: snapshotter.kept(id) })),
    );
  }

  async diff(from: TreeRef, to: TreeRef): Promise<Change[]> {
    if (from === 'now' || to === 'now') await this.#machine.sync();
    return this.#inTurn(() => this.#parts.snapshotter.diff(from, to));
  }

  async setTag(name: string, id: SnapshotId | undefined): Promise<void> {
    await this.#parts.history.setTag(name, id);
    this.#events.emit({ type: 'history' });
  }

  async deleteSnapshot(id: SnapshotId): Promise<void> {
    await this.#inTurn(() => this.#parts.history.forget([id]));
    this.#events.emit({ type: 'history' });
  }

  async collectGarbage(): Promise<number> {
    const freed = await this.#around('garbage.collect', () => this.#inTurn(() => this.#capturer.collect()));
    this.#events.emit({ type: 'history' });
    if (this.#capturer.stopped) this.#captures.hurry();
    return freed;
  }

  async exportTar(at: TreeRef): Promise<ArchiveReader> {
    const view = await this.#view(at);
    // The files as they are now, whatever changes or is checked out while they are read.
    const tree = at === 'now' ? view.fork({ readOnly: true }) : view;
    return new TarReader(writeTar(tree), { assertOpen: () => this.#assertOpen() });
  }

  openParcel(id: SnapshotId, options: ParcelOptions = {}): Promise<ParcelReader> {
    const assertOpen = () => this.#assertOpen();
    return this.#inTurn(() => openSnapshotParcel(id, { ...this.#parts, ...options, assertOpen }));
  }

  async openIntake(): Promise<SnapshotIntake<SnapshotInfo>> {
    this.#assertOpen();
    this.#assertWritable('take in a snapshot');
    if (this.#intake) throw new SandboxError('busy', 'Cannot take in a snapshot: another one is coming in');
    const { store, history, image } = this.#parts;
    const intake = LocalIntake.open(async (pieces, onReady) => {
      try {
        onReady();
        // A fork may have files in common with others, whose snapshots are no business of who has it.
        const reachable = () => history.live();
        const record = await receiveObjects(pieces, store, { elsewhere: image, reachable });
        await pieces.ended;
        return await this.#inTurn(async () => {
          // What came is garbage until now, which may have been collected meanwhile.
          const id = await history.addWhole(record);
          this.#events.emit({ type: 'history' });
          return history.get(id);
        });
      } finally {
        this.#intake = undefined;
      }
    });
    this.#intake = intake;
    return intake;
  }

  async storage(): Promise<StorageInfo> {
    const { store, history } = this.#parts;
    return {
      ...(await this.#parts.quota()),
      storedBytes: store.sizeBytes,
      snapshots: history.list().length,
      backend: store.backend,
      stopped: this.#capturer.stopped?.toData(),
    };
  }

  async subscribe(after: number, listener: (event: SandboxEvent) => void): Promise<() => void> {
    return this.#events.subscribe(after, listener);
  }

  /** What is under way ends first: a checkout by the loss of its machine, the rest in its turn. */
  close(): Promise<void> {
    this.#closed ??= (async () => {
      this.#closing.abort();
      await this.#captures.flush(); // A store that is full loses what it could not take.
      await this.#captures[Symbol.asyncDispose]();
      try {
        await this.#machine[Symbol.asyncDispose]();
      } finally {
        await (await this.#intake)?.close();
        await this.#turns.run(() => this.#parts.store.close());
        this.#events.emit({ type: 'closed' });
      }
    })();
    return this.#closed;
  }

  #begin(): void {
    this.#first = new FirstSnapshot(this.#turns, {
      closing: this.#closing.signal,
      take: async () => {
        if (await this.#bringUpToDate()) await this.#capturer.tryBegin(this.#parts.info.image);
      },
    });
  }

  async #capture(): Promise<void> {
    if (this.#parts.readOnly) return;
    // Whoever closes does not wait long for a guest that hangs.
    const timeoutMs = this.#closing.signal.aborted ? limits.remountTimeoutMs : undefined;
    if (!(await this.#bringUpToDate(timeoutMs))) return;
    await this.#turns.run(async () => {
      await this.#capturer.tryCapture();
      await this.#capturer.thinOut();
    });
  }

  /** Whether the tree could be made what is to be captured; a disk may hold more than the sandbox may have. */
  async #bringUpToDate(timeoutMs?: number): Promise<boolean> {
    try {
      await this.#machine.sync({ timeoutMs, isPublished: true });
      return true;
    } catch (cause) {
      this.#capturer.fail(SandboxError.from(cause));
      return false;
    }
  }

  async #view(at: TreeRef): Promise<LiveTree> {
    this.#assertOpen();
    if (at === 'now') await this.#machine.sync();
    return this.#parts.snapshotter.view(at);
  }

  async #changeFile(action: Parameters<typeof changeGuestFile>[1], options: GuestFileOptions): Promise<void> {
    this.#assertWritable('change files');
    await this.#first?.now();
    return this.#captures.during(async () => {
      const { init } = await this.#machine.running();
      await changeGuestFile(init, action, options);
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    void this.#first?.now();
    return this.#turns.run(async () => {
      this.#assertOpen();
      return work();
    });
  }

  #head(): SnapshotId {
    const head = this.#lookingAt ?? this.#parts.history.head;
    if (head) return head;
    const why = 'Nothing of this sandbox is stored yet: its first snapshot is not taken, or failed';
    throw this.#capturer.stopped ?? new SandboxError('not-found', why);
  }

  #assertOpen(): void {
    if (this.#closed) throw new SandboxError('connection-lost', 'The sandbox was closed');
  }

  #assertWritable(what: string): void {
    if (!this.#parts.readOnly) return;
    throw new SandboxError(
      'read-only',
      `Cannot ${what}: this sandbox is open in another tab; fork it to go on`,
    );
  }
}

import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type {
  Change,
  ExecRequest,
  FileInfo,
  HistoryView,
  ProcessEvent,
  ProcessHandle,
  SandboxConnection,
  SandboxEvent,
  SandboxInfo,
  SnapshotInfo,
  StorageInfo,
  TreeRef,
} from '../../protocol/sandbox.ts';
import type { History } from '../../tree/history/history.ts';
import type { Cause, SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import { CaptureTimer } from './capture-timer.ts';
import { changedFiles } from './changed-files.ts';
import { CommandLog } from './command-log.ts';
import { EventLog } from './event-log.ts';
import { exportTar } from './export-tar.ts';
import { listFiles, readFile, statFile } from './file-access.ts';
import { changeGuestFile, type GuestFileOptions } from './guest-files.ts';
import { GuestMachine, type MachineParts } from './guest-machine.ts';
import { startProcess } from './process-starter.ts';
import type { Snapshotter } from './snapshotter.ts';
import { Turns } from './turns.ts';

export interface TabSandboxParts {
  readonly info: SandboxInfo;
  readonly store: SandboxStore;
  readonly history: History;
  readonly tree: LiveTree;
  readonly snapshotter: Snapshotter;
  readonly machine: MachineParts;
  readonly readOnly: boolean;
  /** Makes another sandbox that begins with a snapshot of this one. */
  readonly fork: (id: SnapshotId, options: { name?: string }) => Promise<SandboxInfo>;
  /** Keeps the image for use without network, telling how far it is; the signal ends it. */
  readonly keepOffline: (
    onProgress: (doneBytes: number, totalBytes: number) => void,
    signal: AbortSignal,
  ) => Promise<void>;
  readonly quota: () => Promise<Pick<StorageInfo, 'usageBytes' | 'quotaBytes' | 'persisted'>>;
}

/**
 * A sandbox in this worker: its store, its tree, and the machine that runs on them. Snapshots,
 * checkouts and what else must not overlap take turns. Owns the machine and the store.
 */
export class TabSandbox implements SandboxConnection {
  readonly #parts: TabSandboxParts;
  readonly #events = new EventLog();
  readonly #commands = new CommandLog();
  readonly #captures: CaptureTimer;
  readonly #turns = new Turns();
  #machine: GuestMachine | undefined;
  #published = 0;
  #checkingOut = false;
  #captureError: SandboxError | undefined;
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  private constructor(parts: TabSandboxParts) {
    this.#parts = parts;
    this.#captures = new CaptureTimer(() => this.#capture(), {
      isCommandRunning: () => this.#commands.isRunning,
    });
  }

  /** Starts the machine at HEAD. Disposes nothing of `parts` when it fails: they are the caller's until it resolves. */
  static async start(parts: TabSandboxParts): Promise<TabSandbox> {
    const sandbox = new TabSandbox(parts);
    await sandbox.#startMachine();
    if (parts.history.head === undefined) await sandbox.#begin();
    parts.tree.rearm();
    sandbox.#events.emit({ type: 'ready' });
    sandbox.#keepOffline();
    return sandbox;
  }

  /** To be called when the tree has changed (`LiveTreeOptions.onChange`). */
  noteChange(): void {
    if (!this.#parts.readOnly) this.#captures.touch();
  }

  async info(): Promise<SandboxInfo> {
    return this.#parts.info;
  }

  exec(
    request: ExecRequest,
    listener: (event: ProcessEvent) => void | Promise<void>,
  ): Promise<ProcessHandle> {
    return startProcess(request, listener, {
      tree: this.#parts.tree,
      commands: this.#commands,
      captures: this.#captures,
      machine: this.#running(),
      endReason: () => (this.#checkingOut ? 'checkout' : undefined),
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
    await this.#sync({ mustAnswer: true });
    return this.#turns.run(() => this.#publish({ type: 'manual', label: options.label ?? '' }));
  }

  async checkout(id: SnapshotId): Promise<{ head: SnapshotId; left: SnapshotId }> {
    const { history, snapshotter, readOnly } = this.#parts;
    return this.#turns.run(async () => {
      await snapshotter.prepare(id);
      // A guest that hangs has no more time than its processes get to die.
      const answers = await this.#sync({ timeoutMs: limits.remountTimeoutMs });
      const left = readOnly
        ? this.#head()
        : (await this.#publish({ type: 'capture', commands: this.#commands.take() })).id;
      if (!readOnly) await history.moveHead(id);
      await this.#replaceFiles(() => snapshotter.restore(id), { obeys: answers });
      this.#events.emit({ type: 'head', head: id });
      return { head: id, left };
    });
  }

  async fork(id: SnapshotId, options: { name?: string } = {}): Promise<SandboxInfo> {
    return this.#turns.run(() => this.#parts.fork(id, options));
  }

  async diff(from: TreeRef, to: TreeRef): Promise<Change[]> {
    if (from === 'now' || to === 'now') await this.#sync();
    return this.#turns.run(() => this.#parts.snapshotter.diff(from, to));
  }

  async setTag(name: string, id: SnapshotId | undefined): Promise<void> {
    await this.#parts.history.setTag(name, id);
    this.#events.emit({ type: 'history' });
  }

  async deleteSnapshot(id: SnapshotId): Promise<void> {
    await this.#parts.history.forget([id]);
    this.#events.emit({ type: 'history' });
  }

  async collectGarbage(): Promise<number> {
    const freed = await this.#parts.history.collect();
    this.#events.emit({ type: 'history' });
    if (this.#captureError) this.#captures.hurry();
    return freed;
  }

  async exportTar(at: TreeRef): Promise<Uint8Array> {
    return exportTar(await this.#view(at));
  }

  async storage(): Promise<StorageInfo> {
    const { store, history } = this.#parts;
    return {
      ...(await this.#parts.quota()),
      storedBytes: store.sizeBytes,
      snapshots: history.list().length,
      backend: store.backend,
      stopped: this.#captureError?.toData(),
    };
  }

  async subscribe(after: number, listener: (event: SandboxEvent) => void): Promise<() => void> {
    return this.#events.subscribe(after, listener);
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      this.#closing.abort();
      await this.#captures.flush().catch(() => undefined); // A store that is full loses what it could not take.
      await this.#captures[Symbol.asyncDispose]();
      await this.#machine?.[Symbol.asyncDispose]();
      await this.#parts.store.close();
      this.#events.emit({ type: 'closed' });
    })();
    return this.#closed;
  }

  /** Waits a while: the first prompt comes before it. */
  #keepOffline(): void {
    const { signal } = this.#closing;
    const onProgress = (doneBytes: number, totalBytes: number) =>
      this.#events.emit({ type: 'offline', doneBytes, totalBytes });
    const timer = setTimeout(() => void this.#parts.keepOffline(onProgress, signal), limits.offlineDelayMs);
    signal.addEventListener('abort', () => clearTimeout(timer));
  }

  /** The first snapshot: the image, with the user's home as init set it up. */
  async #begin(): Promise<void> {
    await this.#running().init.sync();
    await this.#publish({ type: 'image', image: this.#parts.info.image });
  }

  async #startMachine(): Promise<void> {
    this.#machine = await GuestMachine.start(this.#parts.tree, {
      parts: this.#parts.machine,
      onFailure: (error) => this.#events.emit({ type: 'machine-failed', error: error.toData() }),
    });
  }

  /** Ends every process and puts other files under the machine; where it does not obey, it is started anew. */
  async #replaceFiles(change: () => void, { obeys }: { obeys: boolean }): Promise<void> {
    this.#checkingOut = true;
    try {
      if (obeys && (await this.#remount(change))) return;
      await this.#machine?.[Symbol.asyncDispose]();
      change();
      await this.#startMachine();
    } finally {
      this.#checkingOut = false;
      this.#commands.clear();
      this.#parts.tree.rearm();
    }
  }

  async #remount(change: () => void): Promise<boolean> {
    try {
      await this.#machine?.remount(change);
      return true;
    } catch {
      return false;
    }
  }

  async #capture(): Promise<void> {
    if (this.#parts.readOnly) return;
    await this.#sync();
    await this.#turns.run(async () => {
      try {
        await this.#publish({ type: 'capture', commands: this.#commands.take() });
        if (this.#captureError) this.#events.emit({ type: 'capture-resumed' });
        this.#captureError = undefined;
      } catch (cause) {
        this.#captureError = SandboxError.from(cause);
        this.#events.emit({ type: 'capture-stopped', error: this.#captureError.toData() });
      }
    });
  }

  async #publish(cause: Cause): Promise<SnapshotInfo> {
    const { history, snapshotter, tree } = this.#parts;
    const before = history.head;
    tree.rearm();
    const snapshot = await snapshotter.publish(cause);
    if (snapshot.id !== before) {
      this.#events.emit({ type: 'snapshot', snapshot, head: snapshot.id });
      this.#published++;
      if (this.#published % limits.retentionEvery === 0) await this.#thinOut();
    }
    return snapshot;
  }

  /** Old snapshots become sparse, and the space of many is freed. */
  async #thinOut(): Promise<void> {
    const { history } = this.#parts;
    const forgotten = await history.retain(Date.now());
    if (forgotten.length === 0) return;
    if (forgotten.length >= limits.collectAfterForgotten) await history.collect();
    this.#events.emit({ type: 'history' });
  }

  /**
   * What the guest has cached is written back to the tree, as far as the disk has room. A machine
   * that does not answer has nothing to add; with `mustAnswer` it is a `timeout`, since a snapshot
   * must not be older than it says (H-6). Answers whether there is a machine that answers.
   */
  async #sync(options: { timeoutMs?: number; mustAnswer?: boolean } = {}): Promise<boolean> {
    if (!this.#machine || this.#machine.failure) return false;
    try {
      await this.#machine.init.sync(options);
      return true;
    } catch (cause) {
      const error = SandboxError.from(cause);
      if (options.mustAnswer && error.code === 'timeout') throw error;
      return error.code !== 'timeout' && error.code !== 'connection-lost';
    }
  }

  async #view(at: TreeRef): Promise<LiveTree> {
    if (at === 'now') await this.#sync();
    return this.#parts.snapshotter.view(at);
  }

  async #changeFile(action: Parameters<typeof changeGuestFile>[1], options: GuestFileOptions): Promise<void> {
    this.#assertWritable('change files');
    return changeGuestFile(this.#running().init, action, options);
  }

  #head(): SnapshotId {
    const { head } = this.#parts.history;
    if (head) return head;
    throw new SandboxError('internal', 'The history has no HEAD');
  }

  #running(): GuestMachine {
    if (this.#machine && !this.#machine.failure) return this.#machine;
    throw new SandboxError(
      'machine-failed',
      'The machine has stopped: check out a snapshot to start it again',
    );
  }

  #assertWritable(what: string): void {
    if (!this.#parts.readOnly) return;
    throw new SandboxError(
      'read-only',
      `Cannot ${what}: this sandbox is open in another tab; fork it to go on`,
    );
  }
}

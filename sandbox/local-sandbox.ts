import { SandboxError } from '../protocol/errors.ts';
import { limits } from '../protocol/limits.ts';
import { describeRuntime } from '../protocol/runtime-description.ts';
import type { CheckpointsFacet } from '../protocol/sandbox/checkpoints.ts';
import type { CloseOptions, SandboxConnection } from '../protocol/sandbox/connection.ts';
import type { EventsFacet } from '../protocol/sandbox/events.ts';
import type { FilesFacet } from '../protocol/sandbox/files.ts';
import type { GitFacet } from '../protocol/sandbox/git.ts';
import type { HistoryFacet } from '../protocol/sandbox/history.ts';
import type { InfoFacet } from '../protocol/sandbox/info.ts';
import type { NetworkFacet } from '../protocol/sandbox/network.ts';
import type {
  ExecRequest,
  ProcessesFacet,
  ProcessHandle,
  ProcessListener,
} from '../protocol/sandbox/processes.ts';
import type { Progress, ProgressListener } from '../protocol/sandbox/progress.ts';
import type { RecordingFacet } from '../protocol/sandbox/recording.ts';
import type { SandboxInfo } from '../protocol/sandbox/sandbox-info.ts';
import type { ShellsFacet } from '../protocol/sandbox/shells.ts';
import type { TransferFacet } from '../protocol/sandbox/transfer.ts';
import type { SandboxReport } from '../protocol/sandbox-report.ts';
import { lostChanges, unsavedChanges } from '../protocol/unsaved-changes.ts';
import type { SnapshotId } from '../tree/history/snapshot-record.ts';
import type { TreeSnapshot } from '../tree/live/tree-snapshot.ts';
import { assertLabel } from './capture/assert-label.ts';
import { CaptureTimer } from './capture/capture-timer.ts';
import { Capturer } from './capture/capturer.ts';
import { CommandLog } from './capture/command-log.ts';
import { FirstSnapshot } from './capture/first-snapshot.ts';
import { MachineState } from './checkpoints/machine-state.ts';
import type { MachineRoute } from './checkpoints/pre-copy.ts';
import { EventLog } from './event-log.ts';
import { assertChangeable } from './files/assert-changeable.ts';
import { assertWritable } from './files/assert-writable.ts';
import { FileViews } from './files/file-views.ts';
import { sandboxGit } from './git/sandbox-git.ts';
import type { LocalSandboxParts } from './local-sandbox-parts.ts';
import type { FileChanger } from './machine/machine-ports.ts';
import type { SandboxMachine, SyncOptions } from './machine/sandbox-machine.ts';
import type { HandedMachine } from './memory/handed-machine.ts';
import { OutputBatches } from './output-log/output-batches.ts';
import { OutputLog } from './output-log/output-log.ts';
import { SandboxProcesses } from './processes/sandbox-processes.ts';
import { SessionTaps } from './processes/session-taps.ts';
import type { WatchedProcessParts } from './processes/watched-process.ts';
import type { Recordings } from './recording/recordings.ts';
import { SandboxHistory } from './sandbox-history.ts';
import { publicInfo, withSettings } from './sandbox-settings.ts';
import type { SandboxWork } from './sandbox-work.ts';
import { SerialQueue } from './serial-queue.ts';
import { SandboxShells } from './shells/sandbox-shells.ts';
import { storageInfo } from './storage-info.ts';
import { takeReport } from './take-report.ts';
import { openSnapshotExport } from './transfer/export-stream.ts';
import { HistoryImport } from './transfer/history-import.ts';
import type { TarRestore } from './transfer/tar-restore.ts';

interface SandboxStart {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ProgressListener | undefined;
}

/**
 * A sandbox in this process: its store, its tree, and the machine that runs on them. Snapshots,
 * checkouts and what else must not overlap take turns. Owns the machine and the store.
 */
export class LocalSandbox implements SandboxConnection {
  readonly info: InfoFacet = {
    get: () => this.#info(),
    storage: async () => {
      this.#assertOpen();
      const { state, host } = this.#parts;
      return storageInfo({ ...state, quota: host.quota }, this.#capturer.stopped);
    },
    report: () => this.#report(),
  };
  readonly processes: ProcessesFacet = { exec: (ask, listener) => this.#exec(ask, listener) };
  readonly shells: ShellsFacet;
  readonly files: FilesFacet = {
    read: async ({ path, at = 'now' }) => this.#views.read(path, at),
    list: async ({ path, at = 'now' }) => this.#views.list(path, at),
    stat: async ({ path, at = 'now' }) => this.#views.stat(path, at),
    write: (ask) => this.#changeFile(ask, (files) => files.write(ask)),
    makeDirectory: (ask) => this.#changeFile(ask, (files) => files.makeDirectory(ask)),
    remove: (ask) => this.#changeFile(ask, (files) => files.remove(ask)),
    rename: ({ from, to }) =>
      this.#changeFile({ path: from, to }, (files) => files.rename({ path: from, to })),
    copy: ({ from, to }) => this.#changeFile({ path: from, to }, (files) => files.copy({ path: from, to })),
  };
  readonly history: HistoryFacet;
  readonly checkpoints: CheckpointsFacet = {
    list: async () => this.#kept.checkpoints.list(),
    configure: async (ask) => this.#kept.checkpoints.configure(ask),
    terminalOutput: async ({ checkpoint, pid }) => this.#kept.checkpoints.screenAt(checkpoint, pid),
    restore: (ask) => this.#restore(ask),
  };
  readonly transfer: TransferFacet = {
    exportTar: async ({ at, ...options }) => this.#views.archive(at, options),
    openExport: ({ id, have }) => {
      const assertOpen = () => this.#assertOpen();
      return this.#serialize(() => openSnapshotExport(id, { ...this.#parts.state, have, assertOpen }));
    },
    openImport: async () => {
      this.#assertOpen();
      assertWritable(this.#parts.state, 'take in a snapshot');
      return this.#snapshotImport.open();
    },
    openRestore: async ({ label } = {}) => {
      this.#assertOpen();
      assertWritable(this.#parts.state, 'restore an archive');
      if (label !== undefined) assertLabel(label);
      const restore = await this.#openTarRestore();
      return restore.open((files) => this.#past.goToFiles(files, label));
    },
  };
  readonly network: NetworkFacet = {
    log: async () => {
      this.#assertOpen();
      return this.#parts.host.networkLog?.() ?? { flows: [], forgotten: 0 };
    },
    connect: async ({ port }) => {
      const { ports } = await this.#machine.running();
      // What a program does for the connection is no part of the first snapshot.
      await this.#first?.beforeChange();
      if (ports) return ports.connect(port);
      throw new SandboxError(
        'unsupported',
        `Cannot connect to port ${port}: programs here cannot listen on one`,
        {
          details: { feature: 'network.connect' },
        },
      );
    },
  };
  readonly git: GitFacet;
  readonly recording: RecordingFacet = {
    start: async (ask) => (await this.#openRecordings()).start(ask),
    save: async (ask) => (await this.#openRecordings()).save(ask),
    add: async (ask) => (await this.#openRecordings()).add(ask),
    stop: async (ask) => (await this.#openRecordings()).stop(ask),
  };
  readonly events: EventsFacet = {
    subscribe: async ({ after }, listener) => {
      this.#assertOpen();
      return this.#log.subscribe(after, listener);
    },
  };

  readonly #parts: LocalSandboxParts;
  readonly #log = new EventLog();
  readonly #taps = new SessionTaps();
  readonly #output: OutputLog | undefined;
  readonly #commands = new CommandLog(() => this.#filesByNow());
  readonly #serial = new SerialQueue();
  readonly #captures: CaptureTimer;
  readonly #capturer: Capturer;
  readonly #machine: SandboxMachine;
  readonly #kept: MachineState;
  readonly #processes: SandboxProcesses;
  readonly #shells: SandboxShells;
  readonly #past: SandboxHistory;
  readonly #views: FileViews;
  readonly #snapshotImport: HistoryImport;
  #tarRestore: TarRestore | undefined;
  #recordings: Recordings | undefined;
  /** Somebody wants to close it: the first snapshot is taken at once. */
  readonly #wanted = new AbortController();
  readonly #closing = new AbortController();
  /** How many save what there is in order to close it. */
  #savingToClose = 0;
  readonly #openedAtMs = Date.now();
  /** Of a new sandbox. */
  #first: FirstSnapshot | undefined;
  #closed: Promise<void> | undefined;
  /** Told how far the machine is, until it has started: from then on listeners to events are. */
  #onStartProgress: ProgressListener | undefined;
  /** Of a capture that failed. */
  #retry: ReturnType<typeof setTimeout> | undefined;

  private constructor(parts: LocalSandboxParts) {
    this.#parts = parts;
    this.#captures = new CaptureTimer(() => this.#capture(), {
      isCommandRunning: () => this.#commands.isRunning,
      stoppedMs: () => this.#machine.stoppedMs ?? 0,
    });
    const { state } = parts;
    this.#machine = parts.machine.make({
      onFailure: (error) => this.#log.emit({ type: 'machine-failed', error: error.toData() }),
      onProgress: (progress) => this.#tellProgress(progress),
      onRefused: (error) => this.#noteRefused(error),
      onPort: (change) => this.#log.emit({ type: 'port', ...change }),
      onChanged: (by) => this.#noteChanged(by?.words),
    });
    this.#capturer = new Capturer({
      ...state,
      commands: this.#commands,
      events: this.#log,
      onSealed: (tree) => this.#machine.publishing?.(tree),
      unsaved: this.#machine.unsaved,
      onUnsaved: this.#machine.noteUnsaved && ((why) => this.#noteUnsaved(why)),
      extras: () => this.#shells.saved(),
      coverage: () => this.#machine.coverage,
      onPublished: (id) => {
        this.#kept.notePublished(id);
        this.#machine.published?.(state.snapshotter.treeId, state.snapshotter.lastSnapshot);
      },
      sealBeside: () => this.#kept.sealerBeside(),
      incoming: () => this.#tarRestore?.stored ?? [],
      onForgotten: () => this.#noteForgotten(),
      onCollected: () => this.#kept.checkpoints.keepWithin((id) => state.history.has(id)),
    });
    this.#kept = new MachineState({
      ...state,
      info: parts.info,
      keepsRunning: parts.machine.keepsRunning,
      machine: this.#machine,
      capturer: this.#capturer,
      commands: this.#commands,
      events: this.#log,
      serial: this.#serial,
      onRefused: (error) => this.#noteRefused(error),
      onRestored: (head) => this.#shells.onRestored(state.history.get(head)),
    });
    const watched: WatchedProcessParts = {
      tree: state.tree,
      machine: this.#machine,
      commands: this.#commands,
      captures: this.#captures,
      capturer: this.#capturer,
      checkpoints: this.#kept.checkpoints,
      begun: async () => this.#first?.beforeChange(),
      taps: this.#taps,
      onCommand: (ended) => this.#log.emit({ type: 'command', ...ended }),
    };
    this.#processes = new SandboxProcesses(watched);
    this.#shells = new SandboxShells({
      ...watched,
      settings: parts.info,
      read: (id) => state.store.readSync(id),
      onChange: () => this.noteChange(),
      assertOpen: () => this.#assertOpen(),
      // Captures hold what runs, but not a machine with checkpoints.
      idleMs: describeRuntime(parts.info.runtime)?.checkpoints ? undefined : limits.shellIdleMs,
    });
    this.shells = this.#shells;
    if (!state.readOnly)
      this.#output = new OutputLog({
        ...{ taps: this.#taps, batches: new OutputBatches(state), envs: parts.info.envs },
        subscribe: (listener) => this.#log.subscribe(Number.POSITIVE_INFINITY, listener),
        hasBegun: () => state.history.head !== undefined,
        stopped: () => this.#capturer.stopped,
        collect: () => this.#serial.run(() => this.#capturer.collectIfDue()),
      });
    this.git = sandboxGit({
      running: () => this.#machine.running(),
      begun: async () => {
        assertWritable(this.#parts.state, 'change files');
        await this.#first?.beforeChange();
      },
      info: parts.info,
      commands: this.#commands,
      captures: this.#captures,
    });
    this.#past = new SandboxHistory({
      state,
      backend: parts.backend,
      machine: this.#machine,
      captures: this.#captures,
      capturer: this.#capturer,
      kept: this.#kept,
      shells: this.#shells,
      commands: this.#commands,
      events: this.#log,
      serialize: (work) => this.#serialize(work),
      around: (name, work) => this.#around(name, work),
      onForked: (tree, fork) => parts.host.onForked?.(tree, fork),
      freeing: (work) => parts.host.freeing?.(work) ?? work(),
      onForgotten: () => this.#noteForgotten(),
      begun: async () => this.#first?.taken,
      assertOpen: () => this.#assertOpen(),
    });
    this.history = this.#past;
    this.#views = new FileViews({
      snapshotter: state.snapshotter,
      sync: () => this.#machine.sync(),
      assertOpen: () => this.#assertOpen(),
    });
    this.#snapshotImport = new HistoryImport({
      ...state,
      serialize: (work) => this.#serialize(work),
      onTaken: () => this.#log.emit({ type: 'history' }),
    });
  }

  /** Starts the machine at HEAD. Closes nothing of `parts` when it fails: they are the caller's until it resolves. */
  static async start(parts: LocalSandboxParts & SandboxStart): Promise<LocalSandbox> {
    const sandbox = new LocalSandbox(parts);
    sandbox.#onStartProgress = parts.onProgress ?? (() => {});
    try {
      await sandbox.#machine.start({ signal: parts.signal });
    } catch (error) {
      await sandbox.#machine[Symbol.asyncDispose]();
      throw error;
    }
    sandbox.#onStartProgress = undefined;
    const { history, snapshotter, tree, readOnly } = parts.state;
    tree.rearm();
    if (history.head !== undefined) sandbox.#shells.resetTo(history.get(history.head));
    if (parts.machine.shells) sandbox.#shells.takeOver(parts.machine.shells);
    if (history.head === undefined && !readOnly) sandbox.#begin();
    const isAtHead = history.head === undefined || history.get(history.head).tree === snapshotter.treeId;
    if (sandbox.#machine.goesOn || !isAtHead) sandbox.noteChange();
    sandbox.#log.emit({ type: 'ready' });
    const { refused, afterStart } = parts.machine;
    if (refused) sandbox.#noteRefused(refused);
    afterStart?.({
      signal: sandbox.#closing.signal,
      onOffline: (doneBytes, totalBytes) => sandbox.#log.emit({ type: 'offline', doneBytes, totalBytes }),
    });
    return sandbox;
  }

  /** To be called when the tree has changed (`LiveTreeOptions.onChange`). */
  noteChange(): void {
    if (this.#parts.state.readOnly) return;
    this.#captures.touch();
    this.#kept.checkpoints.noteActivity();
  }

  /** The files where the live tree has them all: a machine with files of its own has to be asked for them. */
  #filesByNow(): TreeSnapshot | undefined {
    return this.#machine.noteUnsaved ? undefined : this.#parts.state.tree.snapshot();
  }

  #tellProgress(progress: Progress): void {
    if (this.#onStartProgress) this.#onStartProgress(progress);
    else this.#log.emit({ type: 'progress', progress });
  }

  #noteChanged(process: readonly string[] = []): void {
    this.#commands.noteProcess(process);
    this.#captures.touch();
  }

  async #info(): Promise<SandboxInfo> {
    this.#assertOpen();
    const { info, backend } = this.#parts;
    // One that is not stored yet, or no more, is what it was at its start.
    const { name, expiresAtMs } = (await backend.stored?.().catch(() => undefined)) ?? info;
    return publicInfo({ ...info, name, expiresAtMs });
  }

  async #exec(request: ExecRequest, listener: ProcessListener): Promise<ProcessHandle> {
    return this.#processes.start(withSettings(request, this.#parts.info), listener);
  }

  /** Loaded for those who use it, as merges are. */
  async #openTarRestore(): Promise<TarRestore> {
    const { TarRestore } = await import('./transfer/tar-restore.ts');
    this.#assertOpen();
    this.#tarRestore ??= new TarRestore({
      ...this.#parts.state,
      serialize: (work) => this.#serialize(work),
    });
    return this.#tarRestore;
  }

  /** Loaded for those who record. */
  async #openRecordings(): Promise<Recordings> {
    const { Recordings } = await import('./recording/recordings.ts');
    this.#assertOpen();
    const { state, info } = this.#parts;
    this.#recordings ??= new Recordings({
      ...{ state, info, taps: this.#taps },
      subscribe: (listener) => this.#log.subscribe(Number.POSITIVE_INFINITY, listener),
      checkpoints: () => (this.#machine.live ? this.#kept.checkpoints.list().checkpoints : []),
      screenAt: (checkpoint) => this.#kept.checkpoints.screenAt(checkpoint, 0),
      assertOpen: () => this.#assertOpen(),
      head: async () => (await this.#past.get()).head,
      settle: () => this.#past.settle(),
      flushOutput: async () => this.#output?.flush(),
    });
    return this.#recordings;
  }

  async #restore({
    id,
  }: {
    readonly id: number;
  }): Promise<{ head: SnapshotId; previous: number | undefined }> {
    assertWritable(this.#parts.state, 'restore a checkpoint');
    const restore = () => this.#serialize(() => this.#kept.restore(id));
    return this.#around('checkpoint.restore', restore).finally(() => this.#captures.touch());
  }

  /**
   * The sandbox as it runs, for another thread to go on from: at once, between two of the guest's instructions, and
   * this one goes on. For who is led, it is what differs from the last that was sent.
   * @throws unsupported, limit-exceeded: a snapshot with memory may do instead
   */
  handOver(): { machine: HandedMachine; transfer: readonly ArrayBuffer[] } {
    this.#assertOpen();
    const { machine, transfer } = this.#kept.handOver();
    return { machine: { ...machine, shells: this.#shells.handOver() }, transfer };
  }

  /** Sends ahead, now and again, what whoever gets the sandbox handed over next will have by then; `undefined` ends it. */
  lead(route: MachineRoute | undefined): void {
    this.#assertOpen();
    this.#kept.lead(route);
  }

  async #report(): Promise<SandboxReport> {
    // What a machine does not say is not in it yet; the rest is true all the same.
    await this.#machine.sync({ leave: 'changing' }).catch(() => false);
    return this.#serialize(() =>
      takeReport({
        ...this.#parts.state,
        info: this.#parts.info,
        openedAtMs: this.#openedAtMs,
        machine: this.#machine,
        runs: this.#commands.runs,
        stopped: this.#capturer.stopped,
      }),
    );
  }

  /**
   * What is under way ends first: a checkout by the loss of its machine, the rest in its turn. With `discard`, the event
   * `closed` says what is lost where the last changes could not be stored.
   * @throws `unsavedChanges`, and stays open, where they could not and are not to be discarded
   */
  async close({ discard = false }: CloseOptions = {}): Promise<void> {
    if (!this.#closed) {
      this.#savingToClose++;
      this.#wanted.abort();
      // What its store cannot take, the machine holds on to if it can.
      await this.#captures.flush().finally(() => this.#savingToClose--);
      const { noteUnsaved, mayRefuse } = this.#machine;
      const lost = noteUnsaved || mayRefuse ? undefined : this.#capturer.stopped;
      if (lost && !discard) throw unsavedChanges(this.#parts.info.name, lost);
      this.#closed ??= this.#end(lost && lostChanges(this.#parts.info.name, lost));
    }
    return this.#closed;
  }

  async #end(lost: SandboxError | undefined): Promise<void> {
    this.#closing.abort();
    await this.#captures[Symbol.asyncDispose]();
    clearTimeout(this.#retry);
    await this.#kept[Symbol.asyncDispose]();
    this.#shells.cancelWaiting();
    try {
      await this.#machine[Symbol.asyncDispose]();
    } finally {
      await this.#recordings?.close();
      await this.#output?.close();
      await this.#snapshotImport.close();
      await this.#tarRestore?.close();
      await this.#serial.run(() => this.#parts.state.store.close());
      this.#log.emit({ type: 'closed', ...(lost && { lost: lost.toData() }) });
    }
  }

  #begin(): void {
    const { info, machine } = this.#parts;
    const { forkOf } = machine;
    this.#first = new FirstSnapshot(this.#serial, {
      closing: this.#wanted.signal,
      isOfMachine: forkOf !== undefined,
      take: async () => {
        if (forkOf !== undefined) await this.#capturer.tryBeginFork(forkOf, () => this.#kept.sealer());
        else if (await this.#bringUpToDate()) await this.#capturer.tryBegin(info.image);
      },
    });
  }

  async #capture(): Promise<void> {
    if (this.#parts.state.readOnly) return;
    // Whoever closes does not wait long for a guest that hangs.
    const isLast = this.#savingToClose > 0;
    const options = isLast ? { timeoutMs: limits.remountTimeoutMs } : { leave: 'changing' as const };
    if (!(await this.#bringUpToDate(options))) return;
    await this.#serial.run(async () => {
      // Before it is closed, all of it is saved.
      await this.#capturer.tryCapture({ leavesPassing: !isLast });
      await this.#capturer.thinOut();
    });
  }

  /** What keeps files from being saved may go away without anything else happening here, such as a full disk. */
  #noteUnsaved(why: SandboxError): void {
    this.#machine.noteUnsaved?.(why);
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#captures.touch(), limits.captureRetryMs);
  }

  async #noteForgotten(): Promise<void> {
    const { host, state } = this.#parts;
    const { history, snapshotter } = state;
    await host.onForgotten?.(new Set([snapshotter.treeId, ...history.list().map(({ tree }) => tree)]));
  }

  #noteRefused(error: SandboxError): void {
    this.#log.emit({ type: 'memory-refused', error: error.toData() });
  }

  #bringUpToDate(options: SyncOptions = {}): Promise<boolean> {
    return this.#capturer.bringUpToDate(() => this.#machine.sync({ ...options, isPublished: true }));
  }

  async #changeFile(
    what: Parameters<typeof assertChangeable>[0],
    change: (files: FileChanger) => Promise<void>,
  ): Promise<void> {
    assertWritable(this.#parts.state, 'change files');
    assertChangeable(what);
    await this.#first?.beforeChange();
    return this.#captures.during(async () => {
      const { files } = await this.#machine.running();
      this.#commands.noteClient();
      await change(files);
    });
  }

  #around<T>(name: SandboxWork, work: () => Promise<T>): Promise<T> {
    return this.#parts.host.around?.(name, work) ?? work();
  }

  #serialize<T>(work: () => Promise<T>): Promise<T> {
    void this.#first?.now();
    return this.#serial.run(async () => {
      this.#assertOpen();
      return work();
    });
  }

  #assertOpen(): void {
    if (this.#closed) throw new SandboxError('connection-lost', 'The sandbox was closed');
  }
}

import { endProcess } from '../protocol/end-process.ts';
import { SandboxError } from '../protocol/errors.ts';
import type { NetworkLog } from '../protocol/network-log.ts';
import type { RecordingOptions, RecordingView } from '../protocol/recording.ts';
import type {
  ArchiveOptions,
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
  SnapshotOptions,
  SnapshotRef,
  StorageInfo,
  TreeRef,
} from '../protocol/sandbox.ts';
import type { SandboxReport } from '../protocol/sandbox-report.ts';
import type { SnapshotId } from '../tree/history/snapshot-record.ts';
import type { Lease } from './open-sandboxes.ts';

/**
 * One client's use of a sandbox that others use too. `close` ends what this client has begun: its
 * processes are killed, its subscriptions and archives let go of (H-8). The sandbox stays open.
 */
export class LentConnection implements SandboxConnection {
  readonly #lease: Lease;
  /** How to let go of each thing under way. */
  readonly #held = new Set<() => Promise<void> | void>();
  #closed: Promise<void> | undefined;

  constructor(lease: Lease) {
    this.#lease = lease;
  }

  async exec(
    request: ExecRequest,
    listener: (event: ProcessEvent) => void | Promise<void>,
  ): Promise<ProcessHandle> {
    const over = Promise.withResolvers<void>();
    let hasEnded = false;
    let kill: (() => Promise<void>) | undefined;
    const process = await this.#there.exec(request, (event) => {
      if (event.type === 'exit') {
        hasEnded = true;
        over.resolve();
        if (kill) this.#held.delete(kill);
      }
      return listener(event);
    });
    kill = () => endProcess({ process, request, ended: over.promise });
    if (!hasEnded) await this.#hold(kill);
    return process;
  }

  async exportTar(at: TreeRef, options?: ArchiveOptions): Promise<ArchiveReader> {
    const reader = await this.#there.exportTar(at, options);
    return { read: () => reader.read(), close: await this.#holdOpen(reader) };
  }

  async openParcel(id: SnapshotId, options?: ParcelOptions): Promise<ParcelReader> {
    const reader = await this.#there.openParcel(id, options);
    return { read: () => reader.read(), close: await this.#holdOpen(reader) };
  }

  async openIntake(): Promise<SnapshotIntake<SnapshotInfo>> {
    const intake = await this.#there.openIntake();
    const close = await this.#holdOpen(intake);
    return { write: (bytes) => intake.write(bytes), finish: () => intake.finish(), close };
  }

  async subscribe(after: number, listener: (event: SandboxEvent) => void): Promise<() => void> {
    const stop = await this.#there.subscribe(after, listener);
    await this.#hold(stop);
    return () => {
      this.#held.delete(stop);
      stop();
    };
  }

  async info(): Promise<SandboxInfo> {
    return this.#there.info();
  }

  async readFile(path: string, at?: TreeRef): Promise<Uint8Array> {
    return this.#there.readFile(path, at);
  }

  async writeFile(path: string, bytes: Uint8Array, options?: { mode?: number }): Promise<void> {
    return this.#there.writeFile(path, bytes, options);
  }

  async listFiles(path: string, at?: TreeRef): Promise<FileInfo[]> {
    return this.#there.listFiles(path, at);
  }

  async statFile(path: string, at?: TreeRef): Promise<FileInfo> {
    return this.#there.statFile(path, at);
  }

  async makeDirectory(path: string): Promise<void> {
    return this.#there.makeDirectory(path);
  }

  async removeFile(path: string): Promise<void> {
    return this.#there.removeFile(path);
  }

  async renameFile(from: string, to: string): Promise<void> {
    return this.#there.renameFile(from, to);
  }

  async history(): Promise<HistoryView> {
    return this.#there.history();
  }

  async createSnapshot(options?: SnapshotOptions): Promise<SnapshotInfo> {
    return this.#there.createSnapshot(options);
  }

  async checkout(id: SnapshotId, options?: CheckoutOptions): Promise<{ head: SnapshotId; left: SnapshotId }> {
    return this.#there.checkout(id, options);
  }

  async fork(id: SnapshotId, options?: { name?: string }): Promise<SandboxInfo> {
    return this.#there.fork(id, options);
  }

  async recording(): Promise<RecordingView> {
    return this.#there.recording();
  }

  async setRecording(options: RecordingOptions): Promise<void> {
    return this.#there.setRecording(options);
  }

  async screenAt(moment: number, pid: number): Promise<Uint8Array> {
    return this.#there.screenAt(moment, pid);
  }

  async goToMoment(id: number): Promise<{ head: SnapshotId; left: number | undefined }> {
    return this.#there.goToMoment(id);
  }

  async diff(from: TreeRef, to: TreeRef | SnapshotRef): Promise<Change[]> {
    return this.#there.diff(from, to);
  }

  async setTag(name: string, id: SnapshotId | undefined): Promise<void> {
    return this.#there.setTag(name, id);
  }

  async deleteSnapshot(id: SnapshotId): Promise<void> {
    return this.#there.deleteSnapshot(id);
  }

  async collectGarbage(): Promise<number> {
    return this.#there.collectGarbage();
  }

  async storage(): Promise<StorageInfo> {
    return this.#there.storage();
  }

  async networkLog(): Promise<NetworkLog> {
    return this.#there.networkLog();
  }

  async report(): Promise<SandboxReport> {
    return this.#there.report();
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      try {
        // What fails here has ended on its own, or the sandbox has.
        await Promise.allSettled([...this.#held].map(async (letGo) => letGo()));
      } finally {
        this.#held.clear();
        this.#lease[Symbol.dispose]();
      }
    })();
    return this.#closed;
  }

  get #there(): SandboxConnection {
    if (this.#closed) throw new SandboxError('connection-lost', 'The connection to the sandbox was closed');
    return this.#lease.connection;
  }

  /** Holds what its client may close before; answers how. */
  async #holdOpen(opened: { close(): Promise<void> }): Promise<() => Promise<void>> {
    const close = () => opened.close();
    await this.#hold(close);
    return () => {
      this.#held.delete(close);
      return close();
    };
  }

  /** Keeps it until `close`; what comes to be after that is let go of at once. */
  async #hold(letGo: () => Promise<void> | void): Promise<void> {
    if (!this.#closed) {
      this.#held.add(letGo);
      return;
    }
    await letGo();
    throw new SandboxError('connection-lost', 'The connection to the sandbox was closed');
  }
}

import { SandboxError } from '../../protocol/errors.ts';
import type { NetworkLog } from '../../protocol/network-log.ts';
import type { RecordingOptions, RecordingView } from '../../protocol/recording.ts';
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
} from '../../protocol/sandbox.ts';
import type { SandboxReport } from '../../protocol/sandbox-report.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { Grant } from '../token-contract.ts';

/** A connection as far as a token allows it. Every member says for itself whether it is a look or a change. */
export class GrantedConnection implements SandboxConnection {
  readonly #there: SandboxConnection;
  readonly #grant: Grant;

  constructor(there: SandboxConnection, grant: Grant) {
    this.#there = there;
    this.#grant = grant;
  }

  async info(): Promise<SandboxInfo> {
    return this.#there.info();
  }

  /** A command can change anything. */
  async exec(
    request: ExecRequest,
    listener: (event: ProcessEvent) => void | Promise<void>,
  ): Promise<ProcessHandle> {
    return this.#writable.exec(request, listener);
  }

  async readFile(path: string, at?: TreeRef): Promise<Uint8Array> {
    return this.#there.readFile(path, at);
  }

  async writeFile(path: string, bytes: Uint8Array, options?: { mode?: number }): Promise<void> {
    return this.#writable.writeFile(path, bytes, options);
  }

  async listFiles(path: string, at?: TreeRef): Promise<FileInfo[]> {
    return this.#there.listFiles(path, at);
  }

  async statFile(path: string, at?: TreeRef): Promise<FileInfo> {
    return this.#there.statFile(path, at);
  }

  async makeDirectory(path: string): Promise<void> {
    return this.#writable.makeDirectory(path);
  }

  async removeFile(path: string): Promise<void> {
    return this.#writable.removeFile(path);
  }

  async renameFile(from: string, to: string): Promise<void> {
    return this.#writable.renameFile(from, to);
  }

  async history(): Promise<HistoryView> {
    return this.#there.history();
  }

  async createSnapshot(options?: SnapshotOptions): Promise<SnapshotInfo> {
    return this.#writable.createSnapshot(options);
  }

  async checkout(id: SnapshotId, options?: CheckoutOptions): Promise<{ head: SnapshotId; left: SnapshotId }> {
    return this.#writable.checkout(id, options);
  }

  /** Makes another sandbox, of which a token for some would know nothing. */
  async fork(id: SnapshotId, options?: { name?: string }): Promise<SandboxInfo> {
    if (this.#grant.scope !== 'all') throw refusal('make other sandboxes');
    return this.#writable.fork(id, options);
  }

  async recording(): Promise<RecordingView> {
    return this.#there.recording();
  }

  async setRecording(options: RecordingOptions): Promise<void> {
    return this.#writable.setRecording(options);
  }

  async screenAt(moment: number, pid: number): Promise<Uint8Array> {
    return this.#there.screenAt(moment, pid);
  }

  async goToMoment(id: number): Promise<{ head: SnapshotId; left: number | undefined }> {
    return this.#writable.goToMoment(id);
  }

  async diff(from: TreeRef, to: TreeRef | SnapshotRef): Promise<Change[]> {
    const { scope } = this.#grant;
    if (typeof to === 'object' && scope !== 'all' && !scope.sandboxes.includes(to.sandbox)) {
      throw unknownSandbox(to.sandbox);
    }
    return this.#there.diff(from, to);
  }

  async setTag(name: string, id: SnapshotId | undefined): Promise<void> {
    return this.#writable.setTag(name, id);
  }

  async deleteSnapshot(id: SnapshotId): Promise<void> {
    return this.#writable.deleteSnapshot(id);
  }

  async collectGarbage(): Promise<number> {
    return this.#writable.collectGarbage();
  }

  async exportTar(at: TreeRef, options?: ArchiveOptions): Promise<ArchiveReader> {
    return this.#there.exportTar(at, options);
  }

  async openParcel(id: SnapshotId, options?: ParcelOptions): Promise<ParcelReader> {
    return this.#there.openParcel(id, options);
  }

  async openIntake(): Promise<SnapshotIntake<SnapshotInfo>> {
    return this.#writable.openIntake();
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

  async subscribe(after: number, listener: (event: SandboxEvent) => void): Promise<() => void> {
    return this.#there.subscribe(after, listener);
  }

  async close(): Promise<void> {
    return this.#there.close();
  }

  /** @throws forbidden */
  get #writable(): SandboxConnection {
    if (this.#grant.access === 'write') return this.#there;
    throw refusal('change the sandbox');
  }
}

/** As of one that is not there: a token must not tell which others there are. */
function unknownSandbox(id: string): SandboxError {
  return new SandboxError('not-found', `Cannot find sandbox "${id}"`, { details: { id } });
}

function refusal(what: string): SandboxError {
  return new SandboxError('forbidden', `Cannot ${what}: this token does not allow it`);
}

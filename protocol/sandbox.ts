import type { ChangeSummary, SnapshotId, SnapshotRecord } from '../tree/history/snapshot-record.ts';
import type { Architecture } from './architecture.ts';
import type { ErrorCode, ErrorData } from './errors.ts';
import type { NetworkLog } from './network-log.ts';
import type { RecordingOptions, RecordingView } from './recording.ts';
import type { SandboxReport } from './sandbox-report.ts';

/** Where and what a sandbox is. */
export interface SandboxInfo {
  readonly id: string;
  readonly name: string;
  readonly image: string;
  /** Digest of the image's manifest, which names every asset the sandbox builds on. */
  readonly imageDigest: string;
  /** What its image's programs are for; absent where it was not told yet, which was i386. */
  readonly architecture?: Architecture;
  readonly memoryMiB: number;
  readonly diskMiB: number;
  /** Weight of its processes against those of others, as in Docker; absent where the runtime has none. */
  readonly cpuShares?: number;
  /** The most processes and threads inside; absent where the runtime has no such limit. */
  readonly pids?: number;
  /** The most processors that all of it uses at once, or part of one; absent where nothing holds it back. */
  readonly cpus?: number;
  /** MiB a second that it reads of its disk, and that it writes, at most; absent where nothing holds it back. */
  readonly ioMiBps?: number;
  /** Which of its limits nothing on its host holds it to; absent where all are held. */
  readonly notHeld?: readonly GroupLimit[] | undefined;
  /** Absent in sandboxes that were made before it was told. */
  readonly network?: Network;
  readonly runtime: 'v86' | 'shell' | 'webcontainer' | 'jail' | 'vm' | 'oci';
  readonly createdAtMs: number;
  /** Where what runs in it begins, unless it is told otherwise; absent where that is the user's home. */
  readonly cwd?: string | undefined;
  /** Labels of its makers. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** When it is deleted with its history, ms since 1970; absent where it lives until somebody deletes it. */
  readonly expiresAtMs?: number | undefined;
  /** Whether programs in its jail may make namespaces and mounts of their own. */
  readonly nested?: boolean | undefined;
  /** What keeps its jail from the host; absent where no jail runs it. */
  readonly isolation?: Isolation | undefined;
  /** What holds it to `diskMiB`; absent where it has no files but those of its history. */
  readonly diskHeldBy?: DiskHolder | undefined;
  /** Set while files of it are on its host only, and in no snapshot: they stay there past its end. */
  readonly unsaved?: UnsavedFiles | undefined;
}

/**
 * What holds the sandboxes of a host to their disks: the kernel, by quotas of projects or of subvolumes, which refuses
 * what is past the limit; or the host, which looks and kills who writes past it.
 */
export const diskHolders = ['project-quota', 'btrfs-quota', 'watch'] as const;
export type DiskHolder = (typeof diskHolders)[number];

/** Why files that a sandbox has written are in no snapshot, and since when. */
export interface UnsavedFiles {
  readonly sinceMs: number;
  readonly code: ErrorCode;
  readonly message: string;
}

/**
 * What a jail's walls are made of, the strongest first: namespaces with everything else behind them, or, where
 * a host forbids those, an id of its own, a changed root and Landlock.
 */
export const isolations = ['namespace', 'landlock'] as const;
export type Isolation = (typeof isolations)[number];

/** Limits that only control groups hold a jail to. */
export const groupLimits = ['memoryMiB', 'cpuShares', 'pids'] as const;
export type GroupLimit = (typeof groupLimits)[number];

/** What a sandbox reaches: nothing but itself, or what its host reaches. */
export type Network = 'isolated' | 'full';

/** The name of the image that a sandbox is made from unless another is asked for. */
export const defaultImage = 'default';

/**
 * A repository that a new sandbox begins with: cloned inside it, as its user, with the whole history. All of it or
 * nothing; where something is at `path` already, it stays and nothing is cloned.
 */
export interface WorkspaceOptions {
  /**
   * A URL of git: `https`, `http` or `ssh`, which need a network, or `file:///` for a repository inside. It holds no
   * password.
   */
  readonly git: string;
  /** A branch or a tag; the repository's own choice by default. */
  readonly ref?: string;
  /** The full id of a commit, in lower-case hex, instead of `ref`; HEAD is detached then. */
  readonly commit?: string;
  /** Where it is put; the directory above has to be there. */
  readonly path?: string;
}

/**
 * What a new sandbox is to be. Past a maximum it is refused with `limit-exceeded`, and where the runtime
 * has no such limit with `unsupported`; what is left out is as usual there, in a fork as in its parent.
 */
export interface CreateOptions {
  readonly image?: string;
  readonly name?: string;
  readonly memoryMiB?: number;
  readonly diskMiB?: number;
  readonly cpuShares?: number;
  readonly pids?: number;
  /** Processors, such as 0.5 or 2; without it, all that the host allows. */
  readonly cpus?: number;
  /** MiB a second of reading, and as many of writing; without it, all that the host allows. */
  readonly ioMiBps?: number;
  readonly network?: Network;
  /**
   * Let programs in its jail make namespaces and mounts of their own, as other sandboxes inside need.
   * Weaker walls: who runs the host has to allow it (else `forbidden`), and only jails know it (else
   * `unsupported`). Forks have it too.
   */
  readonly nested?: boolean;
  /** What everything that runs in it finds in its environment; what one command is told comes on top. Not in `info`. */
  readonly envs?: Readonly<Record<string, string>>;
  /** Where everything that runs in it begins; made where it is not there. */
  readonly cwd?: string;
  /** Labels, by which sandboxes can be listed. */
  readonly metadata?: Readonly<Record<string, string>>;
  /**
   * How long it lives from now on: then it is deleted with its history. `setTimeout` of its backend moves that. A fork
   * lives as long as its parent unless it is told otherwise. `unsupported` in a tab.
   */
  readonly timeoutMs?: number;
  /** A repository to begin with; there is a snapshot without it, and one with it. */
  readonly workspace?: WorkspaceOptions;
  /** Start from a snapshot of another sandbox instead of the image's golden snapshot. */
  readonly from?: SnapshotRef;
}

/** How a sandbox that exists is opened. */
export interface OpenOptions {
  /** Look on, while another page may write. */
  readonly readOnly?: boolean;
}

export interface StartOptions {
  /**
   * Aborting ends the start, and what it has made is no more; the call then rejects with `aborted`.
   * Once the sandbox is there, it changes nothing.
   */
  readonly signal?: AbortSignal;
}

/** What a start is doing now; `totalBytes` is 0 where it is not known. */
export interface Progress {
  readonly stage: 'download' | 'restore' | 'boot' | 'checkout' | 'workspace' | 'ready';
  readonly doneBytes: number;
  readonly totalBytes: number;
  readonly elapsedMs: number;
  /** One line of what a program inside says of how far it is, such as git: data of a stranger (H-9). */
  readonly text?: string | undefined;
}

/** The interactive shell that terminals run unless they are told otherwise. */
export const loginShell: readonly string[] = ['/bin/bash', '--login'];

export interface ExecRequest {
  /** A string runs under `/bin/bash -c`; an array is executed as it is. */
  readonly command: string | readonly string[];
  readonly cwd?: string;
  readonly envs?: Readonly<Record<string, string>>;
  /** `user` (the default) or `root`. */
  readonly user?: 'user' | 'root';
  /** With a terminal, stderr arrives on stdout. */
  readonly pty?: { readonly columns: number; readonly rows: number };
  /** Whether the process reads standard input; without it, it reads end-of-file. */
  readonly stdin?: boolean;
  /**
   * It clears away what it has made when it is told to end: when the connection that started it ends, it gets SIGTERM,
   * again until it has ended, and `limits.clearAwayMs` before it is killed, as others are at once. Captures wait for its end, at most
   * `limits.clearedAwayPauseMs`: what it makes until then is half of something.
   */
  readonly clearsAway?: boolean;
}

/** Why a process is no more: on whose behalf it was ended, or for want of what. */
export const exitReasons = [
  'exited',
  'signalled',
  'killed',
  'timeout',
  'checkout',
  'machine-failed',
  'out-of-memory',
  'disk-limit',
] as const;

/** How a process ended. `signal` names what killed it. */
export interface ExitStatus {
  readonly exitCode: number;
  readonly signal: string | undefined;
  readonly reason: (typeof exitReasons)[number];
  readonly durationMs: number;
  readonly cpuMs: number;
  readonly maxRssBytes: number;
  /** What changed on disk while it ran, by whomever; each list is cut at `limits.snapshotPaths`. */
  readonly files: ChangedFiles;
  /** Why what it has changed could not be saved; absent where it was, or nobody knows yet that it cannot be. */
  readonly unsaved?: ErrorData | undefined;
}

export interface ChangedFiles {
  readonly created: readonly string[];
  readonly modified: readonly string[];
  readonly deleted: readonly string[];
}

export type ProcessEvent =
  | { readonly type: 'stdout' | 'stderr'; readonly bytes: Uint8Array }
  | ({ readonly type: 'exit' } & ExitStatus);

/** A running process. Output stops when the listener's promise is pending: back-pressure reaches the guest. */
export interface ProcessHandle {
  readonly pid: number;
  write(bytes: Uint8Array): Promise<void>;
  closeStdin(): Promise<void>;
  resize(size: { columns: number; rows: number }): Promise<void>;
  /** Signals the whole process group; SIGKILL by default. */
  kill(signal?: 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGKILL'): Promise<void>;
}

export type FileType = 'file' | 'directory' | 'symlink' | 'device' | 'fifo' | 'socket';

export interface FileInfo {
  readonly path: string;
  readonly name: string;
  readonly type: FileType;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
  readonly target: string | undefined;
}

/** One difference between two trees. `metadata`: same content, other mode, owner, time or xattr. */
export interface Change {
  readonly type: 'created' | 'modified' | 'deleted' | 'renamed' | 'metadata';
  readonly path: string;
  /** Where a renamed file was. */
  readonly from?: string;
  readonly sizeBytes: number;
  /** Whether it is a directory that was created, deleted, renamed or changed itself; absent for anything else. */
  readonly isDirectory?: boolean;
}

export interface SnapshotInfo extends SnapshotRecord {
  readonly id: SnapshotId;
  readonly tags: readonly string[];
}

export interface HistoryView {
  /** Every snapshot that is kept, oldest first. */
  readonly snapshots: readonly SnapshotInfo[];
  readonly head: SnapshotId;
  /** Files changed since `head` that no snapshot holds yet. */
  readonly pending: ChangeSummary;
}

export interface StorageInfo {
  /** Bytes this sandbox's objects take. */
  readonly storedBytes: number;
  readonly snapshots: number;
  readonly usageBytes: number;
  readonly quotaBytes: number;
  readonly persisted: boolean;
  readonly backend: 'opfs' | 'idb' | 'files' | 'memory';
  /** Why capture is stopped, when it is. */
  readonly stopped: ErrorData | undefined;
}

/** How a command of a terminal ended, as its shell tells. The text is data (H-9). */
export interface CommandEnd {
  /** What was typed, cut at `limits.causeCommandBytes`. */
  readonly command: string;
  /** 128 and more: the number of the signal that ended it, added. */
  readonly exitCode: number;
}

/** What a sandbox tells its listeners; `seq` grows by one, so a listener can resume after one. */
export type SandboxEvent = { readonly seq: number } & (
  | { readonly type: 'progress'; readonly progress: Progress }
  | { readonly type: 'ready' }
  | { readonly type: 'snapshot'; readonly snapshot: SnapshotInfo; readonly head: SnapshotId }
  | { readonly type: 'head'; readonly head: SnapshotId }
  | { readonly type: 'history' }
  | { readonly type: 'pending'; readonly pending: ChangeSummary }
  /** There are other moments than before. */
  | { readonly type: 'recording' }
  | { readonly type: 'capture-stopped'; readonly error: ErrorData }
  | { readonly type: 'capture-resumed' }
  /** How much of the image is kept for use without network. */
  | { readonly type: 'offline'; readonly doneBytes: number; readonly totalBytes: number }
  /** A command that was typed into a terminal has ended. */
  | ({ readonly type: 'command' } & CommandEnd)
  | { readonly type: 'machine-failed'; readonly error: ErrorData }
  /** A machine could not go on from what was stored of it: it began anew, with the files. */
  | { readonly type: 'memory-refused'; readonly error: ErrorData }
  | { readonly type: 'closed' }
);

export interface SnapshotOptions {
  readonly label?: string;
  /** Take none where HEAD has the same files: HEAD is answered then. */
  readonly ifChanged?: boolean;
  /**
   * With the machine as it runs: memory, processes and terminals go with the files, and whoever goes there goes on
   * with them. `unsupported` where the machine cannot be stored.
   */
  readonly memory?: boolean;
}

export interface CheckoutOptions {
  /** Give up what changed since HEAD instead of saving it first: for a store that has no room left. */
  readonly discard?: boolean;
}

/** A tree to look at: a snapshot, or the files as they are now. */
export type TreeRef = SnapshotId | 'now';

/** A snapshot of a sandbox: an id, the start of one (`resolveSnapshot`), a tag, or `HEAD`. */
export interface SnapshotRef {
  readonly sandbox: string;
  readonly snapshot: string;
}

/** A part of a tar archive. */
export interface ArchivePiece {
  /** At most `limits.archivePieceBytes`. */
  readonly bytes: Uint8Array;
  /**
   * Paths left out since the last piece, because what they hold cannot be read; with a slash at its
   * end, a directory of which entries are missing.
   */
  readonly missing: readonly string[];
}

/** What of a tree is archived. */
export interface ArchiveOptions {
  /**
   * An absolute path of a directory: what is below it, by paths from there. Files, directories and links only,
   * which is what `Sandbox.importTar` takes.
   */
  readonly path?: string;
}

/** A part of a parcel. */
export interface ParcelPiece {
  /** At most `limits.archivePieceBytes`. */
  readonly bytes: Uint8Array;
}

/**
 * A snapshot on its way to another backend, as a stream of objects (protocol/SPEC.md, S-9) that is made
 * while it is read. Whoever gets one closes it.
 */
export interface ParcelReader {
  /** The next piece, `undefined` after the last; one call at a time. @throws missing-object, corrupt-object */
  read(): Promise<ParcelPiece | undefined>;
  /** Lets go of what it is made from. Calling it again does nothing. */
  close(): Promise<void>;
}

export interface ParcelOptions {
  /**
   * Snapshots that the receiver has: what they refer to does not come. Those that are not known here
   * say nothing. At most `limits.parcelHave`.
   */
  readonly have?: readonly SnapshotId[];
}

/** The other end of a parcel. Whoever opens one closes it, which leaves nothing behind unless it is finished. */
export interface SnapshotIntake<Made = SandboxInfo> {
  /**
   * Resolves when the bytes are taken, at most `limits.archivePieceBytes`; one call at a time. The bytes
   * are the intake's from then on. @throws corrupt-object, storage-full, limit-exceeded
   */
  write(bytes: Uint8Array): Promise<void>;
  /** Says that this was all. Resolves when what it makes is durable. @throws missing-object, corrupt-object, storage-full */
  finish(): Promise<Made>;
  /** Gives up what is not finished: nothing of it is left. Calling it again does nothing. */
  close(): Promise<void>;
}

/** The sandbox that a snapshot is to begin. */
export interface IntakeOptions {
  /** The image that the snapshot builds on: its objects are here already, and do not come. */
  readonly imageDigest: string;
  /** What its programs are for (i386 by default): a receiver that cannot run them says so at once. */
  readonly architecture?: Architecture;
  readonly name: string;
  /** As usual at the receiver when left out; cut to the most that it allows, as is the disk. */
  readonly memoryMiB?: number;
  readonly diskMiB?: number;
}

/** A tar archive that is made while it is read. Whoever gets one closes it. */
export interface ArchiveReader {
  /** The next piece, `undefined` after the last; one call at a time. @throws missing-object, corrupt-object */
  read(): Promise<ArchivePiece | undefined>;
  /** Lets go of what it is made from. Calling it again does nothing. */
  close(): Promise<void>;
}

/**
 * One open sandbox, wherever it runs. Every call rejects with a `SandboxError`; after `close` or
 * when the other side dies, with `connection-lost`. Ownership: whoever opened it closes it.
 */
export interface SandboxConnection {
  info(): Promise<SandboxInfo>;
  exec(request: ExecRequest, listener: (event: ProcessEvent) => void | Promise<void>): Promise<ProcessHandle>;

  readFile(path: string, at?: TreeRef): Promise<Uint8Array>;
  writeFile(path: string, bytes: Uint8Array, options?: { mode?: number }): Promise<void>;
  listFiles(path: string, at?: TreeRef): Promise<FileInfo[]>;
  statFile(path: string, at?: TreeRef): Promise<FileInfo>;
  makeDirectory(path: string): Promise<void>;
  removeFile(path: string): Promise<void>;
  renameFile(from: string, to: string): Promise<void>;

  history(): Promise<HistoryView>;
  /** Resolves when the snapshot is durable. */
  createSnapshot(options?: SnapshotOptions): Promise<SnapshotInfo>;
  /**
   * Kills every process, puts the files back, moves HEAD. What was left is itself a snapshot, `left`;
   * with `discard` it is not saved, and `left` is the HEAD that was left. `moment` is what was left with all that ran,
   * where the runtime keeps moments.
   * @throws storage-full when what would be left cannot be saved
   */
  checkout(
    id: SnapshotId,
    options?: CheckoutOptions,
  ): Promise<{ head: SnapshotId; left: SnapshotId; moment?: number | undefined }>;
  /** Creates another sandbox that starts from `id`; open it with the backend. */
  fork(id: SnapshotId, options?: { name?: string }): Promise<SandboxInfo>;
  /**
   * Creates another sandbox that goes on from now, with all that runs; it runs already: open it with the backend.
   * It is stored soon after, which its history waits for; until then it is lost with its page. Nothing where no machine
   * stands ready for that: a snapshot with memory, and a fork of that, do. Absent where none ever does.
   */
  forkRunning?(options?: { name?: string }): Promise<SandboxInfo | undefined>;

  /** The moments of the running machine that can be gone to. @throws unsupported */
  recording(): Promise<RecordingView>;
  /** @throws unsupported, invalid-argument */
  setRecording(options: RecordingOptions): Promise<void>;
  /**
   * What the terminal of process `pid` showed at a moment: the end of it; where that process was not there, what the
   * terminal showed that was opened first then. Nothing where there was none. @throws unsupported, not-found
   */
  screenAt(moment: number, pid: number): Promise<Uint8Array>;
  /**
   * Puts memory, processes, devices and files back as they were, in place: what ran then goes on, other processes end
   * with `checkout`, terminals show what they showed. HEAD is what it was, and so is what comes next. What was left is
   * a moment too, `left`, and its files a snapshot. @throws unsupported, not-found, read-only, storage-full
   */
  goToMoment(id: number): Promise<{ head: SnapshotId; left: number | undefined }>;
  /**
   * What differs from a tree of this sandbox to another, which may be a snapshot of another sandbox of the same
   * backend: what that one has not saved yet is not in it. @throws not-found, missing-object, corrupt-object
   */
  diff(from: TreeRef, to: TreeRef | SnapshotRef): Promise<Change[]>;
  setTag(name: string, id: SnapshotId | undefined): Promise<void>;
  /** Forgets a snapshot that is neither HEAD nor tagged; children keep its parent. */
  deleteSnapshot(id: SnapshotId): Promise<void>;
  /** Frees what no snapshot refers to. Resolves to the bytes freed. */
  collectGarbage(): Promise<number>;

  /** All files as a tar archive. A file that cannot be read ends it with an error. @throws not-found */
  exportTar(at: TreeRef, options?: ArchiveOptions): Promise<ArchiveReader>;
  /**
   * A snapshot with all its objects but those of the image, for `SandboxBackend.openIntake` elsewhere.
   * Deleting the snapshot meanwhile may end it with `corrupt-object`. @throws not-found
   */
  openParcel(id: SnapshotId, options?: ParcelOptions): Promise<ParcelReader>;
  /**
   * Takes a snapshot of another sandbox, of the same image, into the history: beside HEAD, which stays.
   * One at a time. What came before it was given up is garbage, which `collectGarbage` frees.
   * @throws busy, read-only
   */
  openIntake(): Promise<SnapshotIntake<SnapshotInfo>>;
  storage(): Promise<StorageInfo>;
  /** What it did in the network since the place it runs in has started; nothing where it has none. */
  networkLog(): Promise<NetworkLog>;
  /** What it is and did, as far as that is known. */
  report(): Promise<SandboxReport>;
  /** Calls `listener` with every event after `after` that is still kept, then as they come. Returns how to stop. */
  subscribe(after: number, listener: (event: SandboxEvent) => void): Promise<() => void>;
  close(): Promise<void>;
}

/** An image that a place has ready to make sandboxes from. */
export interface HostImage {
  readonly name: string;
  /** Of its manifest. */
  readonly digest: string;
  readonly architecture: Architecture;
  /** Whether a sandbox has it that names none. */
  readonly isDefault: boolean;
}

/** Where sandboxes live: this tab's origin, or a bridge. */
export interface SandboxBackend {
  /** @throws aborted */
  create(
    options: CreateOptions & StartOptions,
    onProgress: (progress: Progress) => void,
  ): Promise<SandboxConnection>;
  /** @throws busy when another tab holds it and `readOnly` is not set; aborted */
  open(
    id: string,
    options: OpenOptions & StartOptions,
    onProgress: (progress: Progress) => void,
  ): Promise<SandboxConnection>;
  /** A sandbox that someone else has open, used together with them. @throws not-found, unsupported */
  connect(id: string): Promise<SandboxConnection>;
  /**
   * The saved files of a sandbox that need not be open, at `at` (as `SnapshotRef`) or HEAD, without starting it: what of
   * its image is not to be had is left out and named.
   * @throws not-found; missing-object, corrupt-object or asset-unavailable when nothing can be read
   */
  exportTar(id: string, options?: { readonly at?: string }): Promise<ArchiveReader>;
  /**
   * Takes in a snapshot of another backend, under the id that it has there, as the beginning of a new sandbox.
   * @throws asset-unavailable when the image is not to be had here; busy, invalid-argument, storage-full
   */
  openIntake(options: IntakeOptions): Promise<SnapshotIntake>;
  list(): Promise<SandboxInfo[]>;
  /** The images that there are, by name; absent where nobody keeps a list of them, as beside a page. */
  images?(): Promise<readonly HostImage[]>;
  delete(id: string): Promise<void>;
  /**
   * Has a sandbox live for `timeoutMs` from now on, or until it is deleted, with `undefined`. Absent where sandboxes have
   * no end of life. @throws not-found, unsupported, invalid-argument
   */
  setTimeout?(id: string, timeoutMs: number | undefined): Promise<SandboxInfo>;
  /**
   * Gives a sandbox another name, open or not; connections that are open go on telling the one before. Absent where a
   * sandbox keeps the name that it was made with. @throws invalid-argument, not-found
   */
  rename?(id: string, name: string): Promise<SandboxInfo>;
}

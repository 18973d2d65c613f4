import type { CheckpointList } from '../../protocol/checkpoint.ts';
import type { SandboxError } from '../../protocol/errors.ts';
import type { MachineProcessListener } from '../../protocol/machine-process.ts';
import type { GitFacet } from '../../protocol/sandbox/git.ts';
import type { ProcessHandle } from '../../protocol/sandbox/processes.ts';
import type { CaptureWatch, MachineUsage } from '../../protocol/sandbox-report.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import type { Coverage, SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { TreeSnapshot } from '../../tree/live/tree-snapshot.ts';
import type { StoredObject } from '../../tree/objects/object-store.ts';
import type { FileChanger, OutputOptions, PortConnector, ProcessStarter } from './machine-ports.ts';

/** A login shell that waits at its prompt. */
export interface WaitingShell {
  readonly pid: number;
  /** What its terminal shows. */
  readonly shown: Uint8Array;
  /** What it runs; nothing of one at its prompt. */
  readonly command?: string | undefined;
  /** Makes it a process of the caller, with a terminal of this size. */
  adopt(listener: MachineProcessListener, options: AdoptOptions): Promise<ProcessHandle>;
}

interface AdoptOptions extends OutputOptions {
  readonly size: { readonly columns: number; readonly rows: number };
}

/** What a terminal of a process shows, and what its shell runs. */
export type ShownTerminal = Pick<WaitingShell, 'pid' | 'shown' | 'command'>;

export interface SealOptions {
  readonly terminals: readonly ShownTerminal[];
  /** The tree delta that its tree was stored as. */
  readonly tree: ObjectId;
  /** Which of these objects are stored. */
  readonly stored: (ids: readonly ObjectId[]) => Promise<ReadonlySet<ObjectId>>;
}

/** The memory image of a checkpoint. */
export interface SealedCheckpoint {
  readonly id: ObjectId;
  /** Those that are not stored yet, itself included. */
  readonly objects: readonly StoredObject[];
  /** To be called once they are durable: the next image builds on them. */
  settle(): void;
}

/** A machine at an instant: memory, processor, devices, open files and tree, together (H-5). Valid while it runs. */
export interface MachineCheckpoint {
  readonly tree: TreeSnapshot;
}

/** A machine on its way to another thread, where one of the same kind goes on from it. */
export interface HandedCheckpoint {
  readonly tree: TreeSnapshot;
  /** The machine's own: to be cloned. */
  readonly memory: object;
  /** Parts of it that are given away instead. */
  readonly transfer: readonly ArrayBuffer[];
  /** Nothing that differs from it will be handed over. */
  letGo(): void;
}

export interface HandOverOptions {
  readonly terminals: readonly ShownTerminal[];
  /** What went to the same thread before: it gets what differs from that. */
  readonly after?: HandedCheckpoint | undefined;
  /** It goes ahead of others, and is kept until then: nothing, where more than so many pages would go. */
  readonly aheadPages?: number | undefined;
}

export interface RestoreOptions {
  /** Called once everything is put back, before the machine goes on. */
  readonly onRestored: () => void;
  /** What the terminal of a process had shown that ran then and that nobody has any more: it waits to be taken; others end. */
  readonly shown: (pid: number) => Uint8Array | undefined;
}

/** What a machine can that is a value while it runs (B-4). */
export interface LiveMachine {
  /** It as it is now, between two of its instructions, at the cost of what changed since the last one. */
  take(): MachineCheckpoint;
  /** Whether the machine that the checkpoint was taken of still runs. */
  has(checkpoint: MachineCheckpoint): boolean;
  /**
   * Puts everything back at once; what ran then goes on, other processes end with `checkout`. A machine that does not
   * answer after it is started anew, with the files of then. @throws machine-failed
   */
  restore(checkpoint: MachineCheckpoint, options: RestoreOptions): Promise<void>;
  /** Others are not restored any more: what only those hold is let go of. */
  keepOnly(checkpoints: readonly MachineCheckpoint[]): void;
  /** Memory that the checkpoints hold. */
  readonly usedBytes: number;
  /**
   * Makes objects of a checkpoint, at the cost of what changed since the last one, while the machine goes on. One at a
   * time; absent where nothing tells what the machine is.
   */
  readonly seal?:
    | ((checkpoint: MachineCheckpoint, options: SealOptions) => Promise<SealedCheckpoint>)
    | undefined;
  /** It as it is now, for another thread; nothing where no other could go on from it. */
  handOver?(options: HandOverOptions): HandedCheckpoint | undefined;
  /** How it knows what was written since the last one. */
  readonly tracking: CheckpointList['tracking'];
}

/** A machine that runs: its ports, and what it can tell of itself. */
export interface RunningMachine {
  readonly processes: ProcessStarter;
  readonly files: FileChanger;
  /**
   * Git as it works there: a program of the machine, or what loads a library over files that its programs share, whose
   * arguments are checked before. Absent where there is none.
   */
  readonly git?: 'program' | (() => Promise<GitFacet>);
  /** Absent where programs cannot listen on ports. */
  readonly ports?: PortConnector;
  /** The shell that waits at its prompt, if there is one, to the first who asks. Absent where none ever waits. */
  takeShell?(): WaitingShell | undefined;
  /** How many processes have been killed for lack of memory, where that is counted. */
  outOfMemoryKills?(): number;
  /** How many processes have been killed for writing past the limit of its disk, where a kernel does not hold it. */
  diskLimitKills?(): number;
  /** What it has used since its start, where that is counted. */
  usage?(): MachineUsage;
}

/** What of the files that have changed a look may leave as the live tree has them (`SandboxMachine.coverage` says which). */
export type LeaveRule = 'changing' | 'used';

export interface SyncOptions {
  /**
   * Set where nobody has asked for the files: programs then wait for little, and files that are being written may be
   * left. `changing`: those that change while they are read, and what is unread when somebody else asks; `used`: also
   * large ones that a program has open for writing, for who waits for what has ended.
   */
  readonly leave?: LeaveRule | undefined;
  readonly timeoutMs?: number | undefined;
  /** A machine that does not answer is a `timeout`, not a `false`. */
  readonly mustAnswer?: boolean;
  /** The tree is published next: a machine that can hold its files may go on before they are read. */
  readonly isPublished?: boolean;
}

/** How files are replaced by those of a snapshot. */
export interface ReplaceOptions {
  /** Whether the machine has answered. */
  readonly obeys: boolean;
  /** Of a machine that may refuse: what it goes from and to, and what it calls once it has all of it, and can still go back. */
  readonly move?:
    | {
        readonly between: { readonly from: MoveEnd; readonly to: MoveEnd };
        readonly moveHead: () => Promise<void>;
      }
    | undefined;
}

/** A snapshot, and its files. */
export interface MoveEnd {
  readonly id: SnapshotId;
  readonly tree: ObjectId;
}

/**
 * The one machine of a sandbox: started, asked, and replaced where it does not obey. It runs on the
 * files of the sandbox's live tree. Whoever made it is told when it stops by itself.
 */
export interface SandboxMachine extends AsyncDisposable {
  /** How often `replaceFiles` has begun: a process that started before the last time ended with it. */
  readonly replaced: number;
  /** While one runs that can be put back, with all that runs (H-10). */
  readonly live?: LiveMachine | undefined;
  /** What a snapshot of its files holds, as of the last `sync`, where that is not what every disk snapshot does (H-6). */
  readonly coverage?: Coverage | undefined;
  /** How it finds changes that nobody tells it of; absent where it sees every one itself, or does not run. */
  readonly captureWatch?: CaptureWatch | undefined;
  /**
   * Starts it on the live tree. Aborting ends the start.
   * @throws timeout, machine-failed, version-mismatch; connection-lost once aborted or disposed of
   */
  start(options?: { signal?: AbortSignal | undefined }): Promise<void>;
  /** The machine, once its files are in place. @throws machine-failed, connection-lost */
  running(): Promise<RunningMachine>;
  /**
   * Brings the live tree up to what the machine has written, as far as the disk has room. A machine
   * that does not answer has nothing to add, unless it must: a snapshot is not older than it says
   * (H-6). Answers whether there is a machine that answers.
   * @throws timeout, if it must answer
   */
  sync(options?: SyncOptions): Promise<boolean>;
  /** How long programs have stood still so far for files to be looked at, in ms. */
  readonly stoppedMs?: number | undefined;
  /** Whether `start` goes on with processes of before, and what those have changed is in no snapshot yet. */
  readonly goesOn?: boolean;
  /** Told that the live tree is about to be stored as `tree`, and be at HEAD: whoever goes on with the machine finds one or the other. @throws storage-full */
  publishing?(tree: ObjectId): void;
  /** Told that the live tree, as it was at `snapshot`, is stored: what the machine holds of it may be of use again. */
  published?(tree: ObjectId, snapshot: TreeSnapshot): void;
  /**
   * Told that what it has written could not be saved. A machine whose files are elsewhere than in the live tree holds
   * on to them from then on until they are published or given up, past its own end too.
   */
  noteUnsaved?(why: SandboxError): void;
  /** Why it holds files that could not be saved; known before it starts where its root held some already. */
  readonly unsaved?: SandboxError | undefined;
  /**
   * Ends every process, lets `change` put the live tree at other files, and goes on with those (H-5).
   * With `obeys` false, or when it does not, it is started anew; where that fails too there is none,
   * and the files are changed.
   */
  replaceFiles(change: () => void, options: ReplaceOptions): Promise<void>;
  /** Whether `replaceFiles` fails without having replaced them, as where they are somebody's folder: what has become of them is read at the next `sync`. */
  readonly mayRefuse?: boolean;
  /**
   * Ends every process, lets `change` put the live tree at other files, and goes on from the memory that was stored
   * with those; where it cannot, as after `replaceFiles`. Absent where it never can.
   */
  goOnFrom?(memory: ObjectId, change: () => void): Promise<void>;
}

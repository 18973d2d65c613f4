import type { InitClient, InitHello } from '../protocol/init/init-client.ts';
import type { MachineUsage } from '../protocol/sandbox-report.ts';
import type { TreeSnapshot } from '../tree/live/tree-snapshot.ts';
import type { ObjectId } from '../tree/objects/object-id.ts';

/** A login shell that waits at its prompt. */
export interface WaitingShell {
  readonly attached: InitHello['attached'][number];
  /** What its terminal shows. */
  readonly shown: Uint8Array;
}

/** A machine that runs: its init, and what came with it. */
export interface RunningMachine {
  readonly init: InitClient;
  /** The shell that waits at its prompt, if there is one, to the first who asks. */
  takeShell(): WaitingShell | undefined;
  /** How many processes have been killed for lack of memory, where that is counted. */
  outOfMemoryKills?(): number;
  /** What it has used since its start, where that is counted. */
  usage?(): MachineUsage;
}

export interface SyncOptions {
  readonly timeoutMs?: number | undefined;
  /** A machine that does not answer is a `timeout`, not a `false`. */
  readonly mustAnswer?: boolean;
  /** The tree is published next: a machine that can hold its files may go on before they are read. */
  readonly isPublished?: boolean;
}

/**
 * The one machine of a sandbox: started, asked, and replaced where it does not obey. It runs on the
 * files of the sandbox's live tree. Whoever made it is told when it stops by itself.
 */
export interface SandboxMachine extends AsyncDisposable {
  /** How often `replaceFiles` has begun: a process that started before the last time ended with it. */
  readonly replaced: number;
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
  /** Whether `start` goes on with processes of before, and what those have changed is in no snapshot yet. */
  readonly goesOn?: boolean;
  /** Told that the live tree is about to be stored as `tree`, and be at HEAD: whoever goes on with the machine finds one or the other. @throws storage-full */
  publishing?(tree: ObjectId): void;
  /** Told that the live tree, as it was at `snapshot`, is stored: what the machine holds of it may be of use again. */
  published?(tree: ObjectId, snapshot: TreeSnapshot): void;
  /**
   * Ends every process, lets `change` put the live tree at other files, and goes on with those (H-5).
   * With `obeys` false, or when it does not, it is started anew; where that fails too there is none,
   * and the files are changed.
   */
  replaceFiles(change: () => void, options: { obeys: boolean }): Promise<void>;
}

import type { Checkpoint, CheckpointList, CheckpointOptions } from '../protocol/checkpoint.ts';
import type { SandboxConnection } from '../protocol/sandbox/connection.ts';
import type { SnapshotId } from '../tree/history/snapshot-record.ts';

/**
 * The checkpoints of a sandbox's running machine (B-4): memory, processes and files as they were after each command and,
 * while something ran, about every second. They last as long as the machine, and there is room for. Runtimes that
 * keep none answer `unsupported`.
 */
export class SandboxCheckpoints {
  readonly #connection: SandboxConnection;

  constructor(connection: SandboxConnection) {
    this.#connection = connection;
  }

  /** What it holds, and what it may. @throws unsupported */
  list(): Promise<CheckpointList> {
    return this.#connection.checkpoints.list();
  }

  /** How many checkpoints are taken each second while something runs; 0 for those of commands only. @throws unsupported, invalid-argument */
  configure(options: CheckpointOptions): Promise<void> {
    return this.#connection.checkpoints.configure(options);
  }

  /**
   * Puts the machine back at a checkpoint, with all that ran; what ran since ends with the reason `checkout`. `previous` is
   * a checkpoint of the state before, the way back. @throws unsupported, not-found, storage-full
   */
  restore(checkpoint: number | Checkpoint): Promise<{ head: SnapshotId; previous: number | undefined }> {
    return this.#connection.checkpoints.restore({
      id: typeof checkpoint === 'number' ? checkpoint : checkpoint.id,
    });
  }
}

import type { Moment, RecordingOptions, RecordingView } from '../protocol/recording.ts';
import type { SandboxConnection } from '../protocol/sandbox/connection.ts';
import type { SnapshotId } from '../tree/history/snapshot-record.ts';

/**
 * The moments of a sandbox's running machine (B-4): memory, processes and files as they were after each command and,
 * while something ran, about every second. They last as long as the machine, and there is room for. Runtimes that
 * keep none answer `unsupported`.
 */
export class Recording {
  readonly #connection: SandboxConnection;

  constructor(connection: SandboxConnection) {
    this.#connection = connection;
  }

  /** What it holds, and what it may. @throws unsupported */
  view(): Promise<RecordingView> {
    return this.#connection.checkpoints.list();
  }

  /** The moments, oldest first. @throws unsupported */
  async moments(): Promise<readonly Moment[]> {
    return (await this.view()).moments;
  }

  /** How many moments are taken each second while something runs; 0 for those of commands only. @throws unsupported, invalid-argument */
  set(options: RecordingOptions): Promise<void> {
    return this.#connection.checkpoints.configure(options);
  }

  /**
   * Puts the machine back at a moment, with all that ran; what ran since ends with the reason `checkout`. `left` is
   * the moment that was left, the way back. @throws unsupported, not-found, storage-full
   */
  goTo(moment: number | Moment): Promise<{ head: SnapshotId; left: number | undefined }> {
    return this.#connection.checkpoints.restore({ id: typeof moment === 'number' ? moment : moment.id });
  }
}

import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { CheckpointList, CheckpointOptions } from '../checkpoint.ts';

/** The running machine at instants of its past. Every call throws `unsupported` where the runtime keeps none. */
export interface CheckpointsFacet {
  /** The checkpoints that can be restored. */
  list(): Promise<CheckpointList>;
  /** @throws invalid-argument */
  configure(ask: CheckpointOptions): Promise<void>;
  /**
   * What the terminal of process `pid` showed at a checkpoint: the end of it; where that process was not there, what the
   * terminal showed that was opened first then; where that had shown nothing yet, as while a shell starts after a
   * checkout, what was shown last before. Nothing where no terminal had shown anything by then. @throws not-found
   */
  terminalOutput(ask: { readonly checkpoint: number; readonly pid: number }): Promise<Uint8Array>;
  /**
   * Puts memory, processes, devices and files back as they were, in place: what ran then goes on, other processes end
   * with `checkout`, terminals show what they showed. HEAD is what it was, and so is what comes next. The state
   * before is a checkpoint too, `previous`, and its files a snapshot. @throws not-found, read-only, storage-full
   */
  restore(ask: { readonly id: number }): Promise<{ head: SnapshotId; previous: number | undefined }>;
}

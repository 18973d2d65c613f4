import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { RecordingOptions, RecordingView } from '../recording.ts';

/** The running machine at instants of its past. Every call throws `unsupported` where the runtime keeps none. */
export interface CheckpointsFacet {
  /** The moments that can be gone to. */
  list(): Promise<RecordingView>;
  /** @throws invalid-argument */
  configure(ask: RecordingOptions): Promise<void>;
  /**
   * What the terminal of process `pid` showed at a moment: the end of it; where that process was not there, what the
   * terminal showed that was opened first then. Nothing where there was none. @throws not-found
   */
  terminalOutput(ask: { readonly moment: number; readonly pid: number }): Promise<Uint8Array>;
  /**
   * Puts memory, processes, devices and files back as they were, in place: what ran then goes on, other processes end
   * with `checkout`, terminals show what they showed. HEAD is what it was, and so is what comes next. What was left is
   * a moment too, `left`, and its files a snapshot. @throws not-found, read-only, storage-full
   */
  restore(ask: { readonly id: number }): Promise<{ head: SnapshotId; left: number | undefined }>;
}

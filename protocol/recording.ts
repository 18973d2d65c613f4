import type { MomentCause } from '../tree/history/moment-codec.ts';
import type { SnapshotId } from '../tree/history/snapshot-record.ts';

export type { MomentCause };

/** A machine at an instant, with all that ran, as long as the recording has room for it: in memory, or stored. */
export interface Moment {
  /** Grows with time; never used twice. */
  readonly id: number;
  readonly takenAtMs: number;
  readonly cause: MomentCause;
  /** The snapshot that was at HEAD. */
  readonly head: SnapshotId;
}

/** The moments that can be gone to. */
export interface RecordingView {
  /** Oldest first. */
  readonly moments: readonly Moment[];
  /** Memory that they hold, and the most that they may. */
  readonly usedBytes: number;
  readonly budgetBytes: number;
  /** How the machine knows which pages were written: by marks, or by comparing all of its memory each time, which takes longer. */
  readonly tracking: 'marks' | 'comparison';
  /** How many are taken while something runs. */
  readonly perSecond: number;
}

export interface RecordingOptions {
  /** From 0, for those of commands only, to `limits.recordingPerSecond.max`. */
  readonly perSecond: number;
}

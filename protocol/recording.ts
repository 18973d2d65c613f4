import type { MomentCause } from '../tree/history/moment-codec.ts';
import type { SnapshotId } from '../tree/history/snapshot-record.ts';

export type { MomentCause };

/** A checkpoint of a machine, with its memory and processes: kept in memory, or stored. */
export interface Moment {
  /** Grows with time; never used twice. */
  readonly id: number;
  readonly takenAtMs: number;
  readonly cause: MomentCause;
  /** The snapshot that was at HEAD. */
  readonly head: SnapshotId;
}

/** The checkpoints that can be restored. */
export interface RecordingView {
  /** Oldest first. */
  readonly moments: readonly Moment[];
  /** Memory that they take, and the most that they may take. */
  readonly usedBytes: number;
  readonly budgetBytes: number;
  /**
   * How the machine finds the pages that were written: by marks, or by comparing all of memory each time, which
   * takes longer.
   */
  readonly tracking: 'marks' | 'comparison';
  /** How many are taken while something runs. */
  readonly perSecond: number;
}

export interface RecordingOptions {
  /** From 0, which keeps only those of commands, to `limits.recordingPerSecond.max`. */
  readonly perSecond: number;
}

import type { CheckpointCause } from '../tree/history/checkpoint-codec.ts';
import type { SnapshotId } from '../tree/history/snapshot-record.ts';

export type { CheckpointCause };

/** A checkpoint of a machine, with its memory and processes: kept in memory, or stored. */
export interface Checkpoint {
  /** Grows with time; never used twice. */
  readonly id: number;
  readonly takenAtMs: number;
  readonly cause: CheckpointCause;
  /** The snapshot that was at HEAD. */
  readonly head: SnapshotId;
}

/** The checkpoints that can be restored. */
export interface CheckpointList {
  /** Oldest first. */
  readonly checkpoints: readonly Checkpoint[];
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

export interface CheckpointOptions {
  /** From 0, which keeps only those of commands, to `limits.checkpointsPerSecond.max`. */
  readonly perSecond: number;
}

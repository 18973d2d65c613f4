import type { SnapshotId } from '../tree/history/snapshot-record.ts';
import type { ErrorData } from './errors.ts';
import type { Change, ExitStatus, SandboxInfo } from './sandbox.ts';

/** What a sandbox is and did, in one look. What is not known is absent, and never 0. */
export interface SandboxReport {
  readonly info: SandboxInfo;
  readonly takenAtMs: number;
  /** When it was opened: nobody has counted its commands before. */
  readonly openedAtMs: number;
  /** Absent where nobody counts it, as in a tab, or no machine runs. */
  readonly usage?: MachineUsage;
  /** `head` is absent as long as the first snapshot is not taken. */
  readonly history: { readonly snapshots: number; readonly head?: SnapshotId };
  /** Why captures are stopped; absent when they are not. */
  readonly capturesStopped?: ErrorData;
  /** How its files differ now from those of its image; absent where either cannot be read. */
  readonly changes?: ChangeCounts;
  readonly commands: CommandsReport;
}

/** Paths, by what has become of them. */
export type ChangeCounts = { readonly [Type in Change['type']]: number };

/** What its machine has used since it was started last, which a checkout does too. */
export interface MachineUsage {
  readonly cpuMs?: number;
  /** Of all its processes together, caches of files included. */
  readonly memoryBytes?: number;
  readonly memoryPeakBytes?: number;
  /** How many threads of processes there are, its init's among them. */
  readonly threads?: number;
  /** Processes that the kernel has killed for lack of memory. */
  readonly outOfMemoryKills?: number;
}

/** What clients have run since the sandbox was opened: by itself, or typed into a terminal. */
export interface CommandsReport {
  readonly started: number;
  readonly running: number;
  /** The last `limits.reportedCommands` that have ended, in that order. */
  readonly last: readonly ReportedCommand[];
}

/** A command that has ended. The text is data (H-9). */
export interface ReportedCommand extends Partial<Pick<ExitStatus, 'reason' | 'cpuMs' | 'maxRssBytes'>> {
  /** Cut at `limits.causeCommandBytes`. */
  readonly command: string;
  readonly startedAtMs: number;
  readonly durationMs: number;
  /** Absent where its terminal ended before it did. */
  readonly exitCode?: number;
  readonly signal?: string;
}

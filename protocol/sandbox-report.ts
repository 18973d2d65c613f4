import type { SnapshotId } from '../tree/history/snapshot-record.ts';
import type { ErrorData } from './errors.ts';
import type { Change } from './sandbox/history.ts';
import type { ExitStatus } from './sandbox/processes.ts';
import type { SandboxInfo } from './sandbox/sandbox-info.ts';

/** What a sandbox is and did, at one instant. Unknown values are absent, never 0. */
export interface SandboxReport {
  readonly info: SandboxInfo;
  readonly takenAtMs: number;
  /** When it was opened, which is also when counting its commands began. */
  readonly openedAtMs: number;
  /** Absent if the runtime does not count it, as in a tab, or no machine runs. */
  readonly usage?: MachineUsage;
  /** `head` is absent until the first snapshot is taken. */
  readonly history: { readonly snapshots: number; readonly head?: SnapshotId };
  /** Why captures are stopped; absent when they are not. */
  readonly capturesStopped?: ErrorData;
  /** How changes are found that no command and no client tells of; absent where its runtime sees every one itself. */
  readonly watch?: CaptureWatch;
  /** How its files differ from those of its image, or from its first snapshot without one; absent if either cannot be read. */
  readonly changes?: ChangeCounts;
  readonly commands: CommandsReport;
}

/**
 * How a host finds changes in a running sandbox: the kernel tells of all of a file system (`fanotify`) or of each directory
 * (`inotify`), or the host looks at the files every few seconds (`polling`). `why` says why it is no better one.
 */
export interface CaptureWatch {
  readonly by: 'fanotify' | 'inotify' | 'polling';
  readonly why?: string;
  /** Directories that are watched one by one, and how many all sandboxes of the host may have. */
  readonly watches?: number;
  readonly limit?: number;
}

/** Numbers of changed paths, by kind of change. */
export type ChangeCounts = { readonly [Type in Change['type']]: number };

/** Resources that its machine has used since its last start; a checkout starts it too. */
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

/** Commands since the sandbox was opened: those that clients ran, and those typed into a terminal. */
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

import type { ErrorData } from '../errors.ts';

/** The interactive shell that terminals run unless they are told otherwise. */
export const loginShell: readonly string[] = ['/bin/bash', '--login'];

/**
 * What a command of a shell in the process may do, with all that it starts; what goes past one ends with exit code 126 and the name of
 * it in `ExitStatus.limit`. Unsupported elsewhere: there the kernel limits processes.
 */
export interface CommandLimits {
  /** Commands that its scripts run. */
  readonly commands?: number;
  /** Rounds of its loops, all together. */
  readonly loopIterations?: number;
  /** Functions and sourced files within each other: 1,000 without it, 10,000 at most. */
  readonly callDepth?: number;
  /** Bytes of one here-document: 16 MiB without it, and at most. */
  readonly hereDocumentBytes?: number;
}

export interface ExecRequest {
  /** A string runs under `/bin/bash -c`; an array is executed as it is. */
  readonly command: string | readonly string[];
  readonly cwd?: string;
  readonly envs?: Readonly<Record<string, string>>;
  /** `user` (the default) or `root`. */
  readonly user?: 'user' | 'root';
  /** With a terminal, stderr arrives on stdout. */
  readonly pty?: { readonly columns: number; readonly rows: number };
  /** Whether the process reads standard input; without it, it reads end-of-file. */
  readonly stdin?: boolean;
  /**
   * It clears away what it has made when it is told to end: when the connection that started it ends, it gets SIGTERM,
   * again until it has ended, and `limits.clearAwayMs` before it is killed, as others are at once. Captures wait for its end, at most
   * `limits.clearedAwayPauseMs`: what it makes until then is half of something.
   */
  readonly clearsAway?: boolean;
  readonly limits?: CommandLimits;
}

/** Why a process is no more: on whose behalf it was ended, or for want of what. */
export const exitReasons = [
  'exited',
  'signalled',
  'killed',
  'timeout',
  'checkout',
  'machine-failed',
  'out-of-memory',
  'disk-limit',
] as const;

/** How a process ended. `signal` names what killed it. */
export interface ExitStatus {
  readonly exitCode: number;
  readonly signal: string | undefined;
  readonly reason: (typeof exitReasons)[number];
  readonly durationMs: number;
  readonly cpuMs: number;
  readonly maxRssBytes: number;
  /**
   * The kind of limit that ended it: `time` of its timeout, or what a shell in the process calls its own (`depth`, `captureBytes`, …). A
   * newer peer may know kinds that this side does not.
   */
  readonly limit?: string | undefined;
  /**
   * Programs that it, or what it ran, looked for to run and did not find, the first few, where the shell in the process knows: whatever
   * its exit code is, as in the midst of a pipe. A script that allows for a failure (`if`, `||`, `!`) allows for that one too.
   */
  readonly missing?: readonly string[] | undefined;
  /** What changed on disk while it ran, by whomever; each list is cut at `limits.snapshotPaths`. */
  readonly files: ChangedFiles;
  /** Why what it has changed could not be saved; absent where it was, or nobody knows yet that it cannot be. */
  readonly unsaved?: ErrorData | undefined;
}

export interface ChangedFiles {
  readonly created: readonly string[];
  readonly modified: readonly string[];
  readonly deleted: readonly string[];
}

export type ProcessEvent =
  | { readonly type: 'stdout' | 'stderr'; readonly bytes: Uint8Array }
  | ({ readonly type: 'exit' } & ExitStatus);

/** A running process. Output stops when the listener's promise is pending: back-pressure reaches the guest. */
export interface ProcessHandle {
  readonly pid: number;
  write(bytes: Uint8Array): Promise<void>;
  closeStdin(): Promise<void>;
  resize(size: { columns: number; rows: number }): Promise<void>;
  /** Signals the whole process group; SIGKILL by default. */
  kill(signal?: 'SIGTERM' | 'SIGINT' | 'SIGQUIT' | 'SIGHUP' | 'SIGKILL'): Promise<void>;
}

/** Told of all that a process prints, in order, then of its exit. A pending promise holds its output back. */
export type ProcessListener = (event: ProcessEvent) => void | Promise<void>;

/** Programs of a sandbox. */
export interface ProcessesFacet {
  exec(ask: ExecRequest, listener: ProcessListener): Promise<ProcessHandle>;
}

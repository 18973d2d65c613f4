import type { TreeFiles } from '../files/tree-files.ts';
import type { OpenFile } from '../io/open-file.ts';
import type { ShellText } from '../text.ts';

/** A process that the shell starts: not a built-in, so it changes nothing of the shell but files and output. */
export interface ProgramCall {
  /** As it was called. */
  readonly name: ShellText;
  /** Without the name. */
  readonly args: readonly ShellText[];
  readonly environment: ReadonlyMap<ShellText, ShellText>;
  readonly cwd: ShellText;
  readonly uid: number;
  readonly gid: number;
  readonly umask: number;
  readonly files: TreeFiles;
  /** Descriptors 0, 1 and 2: `null`s where they are closed. */
  readonly stdin: OpenFile;
  readonly stdout: OpenFile;
  readonly stderr: OpenFile;
  /** What another descriptor refers to, which the caller goes on to hold (`flock 9`); `undefined` where it is closed. */
  descriptor?(fd: number): OpenFile | undefined;
  /** Aborted when the process is killed. `reason` is the signal's name. */
  readonly signal: AbortSignal;
  /**
   * Runs another program in this one's place or as its child (`env`, `xargs`, `timeout`, `find -exec`), found by `PATH`, and
   * answers its exit code: 127 where there is none. What is absent is the caller's own.
   */
  run(
    argv: readonly ShellText[],
    options?: Partial<
      Pick<ProgramCall, 'environment' | 'cwd' | 'uid' | 'gid' | 'stdin' | 'stdout' | 'stderr' | 'signal'>
    >,
  ): Promise<number>;
  /** The path at which `PATH` has a program; `undefined` where there is none. */
  find?(name: ShellText, path?: ShellText): ShellText | undefined;
  /** Lists, and signals, the processes of the sandbox (`ps`, `kill`, `pgrep`). */
  readonly processes: ProcessList;
  /** Tells who runs it that it lacks a part which the program has elsewhere, by a name such as `git-bisect`. */
  noteMissing?(program: ShellText): void;
}

export interface ProcessList {
  list(): readonly ListedProcess[];
  /** Whether there is such a process. */
  kill(pid: number, signal: string): boolean;
}

export interface ListedProcess {
  readonly pid: number;
  readonly ppid: number;
  readonly command: ShellText;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** Answers its exit code. A `ShellError` that it throws is printed with its name and is exit code 1; EPIPE ends it as SIGPIPE does (141). */
export type Program = (call: ProgramCall) => Promise<number>;

/** Programs by name. */
export type Programs = ReadonlyMap<string, Program>;

import type { TreeFiles } from './files/tree-files.ts';
import type { OpenFile } from './io/open-file.ts';
import type { RunLimits } from './io/run-meter.ts';
import type { ProcessEnd } from './processes/process-table.ts';
import type { ListedProcess, Programs } from './programs/program.ts';
import type { ScriptTransform } from './syntax/ast.ts';
import type { ShellText } from './text.ts';

export interface ProcessStart {
  /** Found by `PATH` of the environment, unless it has a slash. `bash` and `sh` are this shell. */
  readonly argv: readonly ShellText[];
  readonly environment: ReadonlyMap<ShellText, ShellText>;
  readonly cwd: ShellText;
  readonly uid: number;
  readonly gid: number;
  /** Each is the process's from here on: it is released when the process ends. */
  readonly stdin: OpenFile;
  readonly stdout: OpenFile;
  readonly stderr: OpenFile;
  /** At descriptor 3. */
  readonly status?: OpenFile | undefined;
  /** Told of programs that it and what it starts do not find, where no script allows for that. */
  readonly onMissing?: ((program: ShellText) => void) | undefined;
  /** What it may do, with all that it starts. */
  readonly limits?: RunLimits | undefined;
}

export interface ShellProcess {
  readonly pid: number;
  /** Time for which it, and all that it has started, have had the thread by now. */
  readonly cpuMs: number;
  /** Never rejects. Resolves once all that it started in its process group has ended, or left it (`disown`, a background job of a shell that has ended). */
  readonly ended: Promise<ProcessEnd>;
  /** Signals its process group. A shell's traps see it; SIGKILL ends it at the next step. */
  kill(signal: string): void;
  /** Signals those of its process group that are not in the background, as Ctrl-C does. */
  interrupt(signal: string): void;
}

/** The processes of one sandbox: functions that share its files, with what Linux would tell of them. */
export interface ShellProcesses {
  /** @throws ShellError ENOENT where there is no such program or directory, EACCES; ShellLimitError of processes */
  start(start: ProcessStart): ShellProcess;
  list(): readonly ListedProcess[];
  /** Ends all of them, and resolves when they have ended. */
  close(): Promise<void>;
}

export interface ShellProcessesOptions {
  readonly files: TreeFiles;
  readonly programs: Programs;
  /** Whether scripts have this built-in; all of them by default. */
  readonly hasBuiltin?: ((name: string) => boolean) | undefined;
  readonly transform?: ScriptTransform | undefined;
  /** `user` and `root` at least. */
  readonly users: readonly {
    readonly name: string;
    readonly uid: number;
    readonly gid: number;
    readonly home: ShellText;
  }[];
  readonly hostname: string;
}

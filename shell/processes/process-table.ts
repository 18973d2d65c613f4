import { RunMeter, setMeter } from '../io/run-meter.ts';
import { shellLimits } from '../limits.ts';
import type { ListedProcess } from '../programs/program.ts';
import { ShellLimitError } from '../shell-error.ts';
import type { ShellText } from '../text.ts';
import { isDeadly, signalExitCode } from './signals.ts';

/** How a process ended. */
export interface ProcessEnd {
  /** 128 and its number where a signal ended it. */
  readonly exitCode: number;
  /** `SIGTERM` … */
  readonly signal: string | undefined;
  /** The limit of `shellLimits` that ended it. */
  readonly limit?: string | undefined;
}

/** Of a process that a limit has ended. */
const limitExitCode = 126;

/** Answers whether it took the signal: what is left does what signals do by themselves. */
export type SignalHandler = (signal: string) => boolean;

export interface ProcessCreation {
  readonly parent?: Process | undefined;
  readonly command: ShellText;
  /** It leads a new process group. Always so without a parent. */
  readonly leadsGroup?: boolean;
  /** It may go on when what started it has ended. */
  readonly isBackground?: boolean;
  /** Of one without a parent: others are of their parents' runs. */
  readonly meter?: RunMeter | undefined;
}

/** A process: a program, a shell or a subshell. */
export class Process implements ListedProcess {
  readonly pid: number;
  readonly ppid: number;
  /** The pid of its process group's leader. */
  readonly group: number;
  readonly startedAt: number = Date.now();
  readonly isBackground: boolean;
  readonly ended: Promise<ProcessEnd>;
  readonly meter: RunMeter;
  command: ShellText;
  /** A shell's traps. */
  onSignal: SignalHandler | undefined;
  /** Whether a shell's script allows for the failure of what it runs now. */
  expectsFailure: (() => boolean) | undefined;
  /** Told of programs that were not found, by it or what it has started. */
  onMissing: ((program: ShellText) => void) | undefined;
  /** What its `/proc/PID/environ` has; of shells at a terminal. */
  environ: (() => Uint8Array) | undefined;
  readonly #parent: Process | undefined;
  readonly #abort: AbortController = new AbortController();
  readonly #resolve: (end: ProcessEnd) => void;
  #end: ProcessEnd | undefined;
  /** The limit that ended one of its children, or a program in its place. */
  #limit: string | undefined;

  constructor(pid: number, { parent, command, leadsGroup, isBackground, meter }: ProcessCreation) {
    this.pid = pid;
    this.meter = parent?.meter ?? meter ?? new RunMeter();
    setMeter(this.signal, this.meter);
    this.#parent = parent;
    this.ppid = parent?.pid ?? 1;
    this.group = parent && !leadsGroup ? parent.group : pid;
    this.isBackground = isBackground ?? parent?.isBackground ?? false;
    this.command = command;
    const { promise, resolve } = Promise.withResolvers<ProcessEnd>();
    this.ended = promise;
    this.#resolve = resolve;
  }

  /** How it ended, or `undefined` while it runs. */
  get end(): ProcessEnd | undefined {
    return this.#end;
  }

  /** Aborted, with the signal's name, when a signal ends the process. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The signal that ends it, once there is one. */
  get killedBy(): string | undefined {
    return this.signal.aborted ? String(this.signal.reason) : undefined;
  }

  send(signal: string): void {
    if (this.#end || this.signal.aborted) return;
    if (signal !== 'SIGKILL' && this.onSignal?.(signal)) return;
    if (isDeadly(signal)) this.#abort.abort(signal);
  }

  /** The limit, if it was one, for which what it ran last has ended with 126: if it ends with that as well, it is for the same. */
  noteLimit(limit: string | undefined): void {
    this.#limit = limit;
  }

  /** A program was not found. Nobody is told where a script allows for that, on the way to what a client has started. */
  noteMissing(program: ShellText): void {
    if (this.expectsFailure?.()) return;
    this.onMissing?.(program);
    this.#parent?.noteMissing(program);
  }

  /** For the one who runs it: it has ended. A signal that killed it goes before the exit code. */
  exit(exitCode: number, limit?: string): void {
    if (this.#end) return;
    const signal = this.killedBy;
    this.#end = signal
      ? { exitCode: signalExitCode(signal), signal }
      : {
          exitCode: exitCode & 0xff,
          signal: undefined,
          limit: limit ?? (exitCode === limitExitCode ? this.#limit : undefined),
        };
    this.onSignal = undefined;
    this.#resolve(this.#end);
  }
}

/** The processes of one sandbox that have not ended. */
export class ProcessTable {
  readonly #processes: Map<number, Process> = new Map();
  #lastPid = 1;

  /** @throws ShellLimitError */
  create(creation: ProcessCreation): Process {
    if (this.#processes.size >= shellLimits.processes) {
      throw new ShellLimitError('processes', `More than ${shellLimits.processes} processes`);
    }
    this.#lastPid += 1;
    const process = new Process(this.#lastPid, creation);
    this.#processes.set(process.pid, process);
    process.ended.then(({ exitCode, limit }) => {
      this.#processes.delete(process.pid);
      if (exitCode === limitExitCode) creation.parent?.noteLimit(limit);
    });
    return process;
  }

  get(pid: number): Process | undefined {
    const process = this.#processes.get(pid);
    return process?.end ? undefined : process;
  }

  list(): readonly Process[] {
    return [...this.#processes.values()].filter((process) => !process.end);
  }

  inGroup(group: number): readonly Process[] {
    return this.list().filter((process) => process.group === group);
  }

  /** Signals a process, or a whole group where `pid` is negative. Whether there is such a one. */
  kill(pid: number, signal: string | undefined): boolean {
    const found = pid < 0 ? this.inGroup(-pid) : [this.get(pid)].filter((process) => process !== undefined);
    if (signal !== undefined) for (const process of found) process.send(signal);
    return found.length > 0;
  }

  /** Resolves when no process of a group runs but those in the background. */
  async foregroundEnded(group: number): Promise<void> {
    for (;;) {
      const running = this.inGroup(group).filter((process) => !process.isBackground);
      if (running.length === 0) return;
      await Promise.all(running.map((process) => process.ended));
    }
  }
}

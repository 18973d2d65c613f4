import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type {
  MachineProcessEvent,
  MachineProcessExit,
  MachineProcessListener,
} from '../../protocol/machine-process.ts';
import type { ExecRequest, ProcessHandle } from '../../protocol/sandbox/processes.ts';
import { toByteString } from '../../tree/content/byte-string.ts';
import type { ProcessStarter } from '../machine/machine-ports.ts';
import { type ShellReport, ShellReports } from './shell-report.ts';
import { openFilesText, reportText, runText, startOf } from './shell-script.ts';
import type { ShellState } from './shell-state.ts';

const decoder = new TextDecoder();
/** Descriptors of a program that a bare bash starts, with the one by which it lists them. */
const usualFiles = '0,1,2,3';
const mostFilesText = 64;

export interface BashStart {
  readonly processes: ProcessStarter;
  /** For `shellCommand`, with standard input. */
  readonly request: ExecRequest;
  readonly state: ShellState;
}

/** How a run ended: bash goes on and has reported its state, or it has ended. */
export type RunEnd =
  | {
      readonly type: 'report';
      readonly report: ShellReport;
      readonly missing: readonly string[];
      /** Processor time of the run, 0 where the machine does not tell it before the end of a process. */
      readonly cpuMs: number;
    }
  | { readonly type: 'exit'; readonly exit: MachineProcessExit };

interface CurrentRun {
  readonly number: number;
  readonly listener: MachineProcessListener;
  readonly end: PromiseWithResolvers<RunEnd>;
}

/** One bash of a shell. Runs one command at a time; what it prints between two is dropped. */
export class BashProcess {
  readonly #reports = new ShellReports();
  #process: ProcessHandle | undefined;
  #lastNumber = 0;
  /** What was not found since the last report. */
  readonly #missing: string[] = [];
  /** Processor time of earlier runs, and of all by now. */
  #earlierCpuMs = 0;
  #cpuMs = 0;
  #run: CurrentRun | undefined;
  #exit: MachineProcessExit | undefined;
  /** What it reported cannot be read. */
  #isBroken = false;

  private constructor() {}

  /** Resolves when it runs; it goes on from `state` before its first command. @throws as `ProcessStarter.start` */
  static async start({ processes, request, state }: BashStart): Promise<BashProcess> {
    const bash = new BashProcess();
    const { envs, text } = startOf(state, { mostBytes: limits.execArgumentBytes / 2 - sizeOf(request.envs) });
    const asked = { ...request, envs: { ...request.envs, ...envs } };
    const process = await processes.start(asked, (event) => bash.#onEvent(event), { hasStatus: true });
    bash.#process = process;
    bash.#write(text);
    return bash;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.#exit !== undefined;
  }

  /** Runs a command after the last one has ended. The listener gets its output. */
  run(
    { command, stdin, status }: { command: string; stdin: Uint8Array | undefined; status: number },
    listener: MachineProcessListener,
  ): Promise<RunEnd> {
    return this.#begin(listener, (number) => runText({ number, command, stdin, status }));
  }

  /** Asks for its state, once it has ended what it may run. */
  report(): Promise<RunEnd> {
    return this.#begin(() => {}, reportText);
  }

  /**
   * Whether it has nothing but the state that it reports: no jobs, traps, arguments, directories aside, or open files. Not where there
   * is no `/proc` to tell. Asked between two runs.
   */
  async isBare(): Promise<boolean> {
    let said = '';
    const listener = (event: MachineProcessEvent) => {
      if (event.type === 'stdout' && said.length < mostFilesText) said += decoder.decode(event.bytes);
    };
    const end = await this.#begin(listener, openFilesText);
    if (end.type !== 'report' || said.trim().split(/\s+/).toSorted().join() !== usualFiles) return false;
    return end.report.jobs === '' && end.report.traps === '';
  }

  /** Ends it as the end of a script does, so that what it has let go of runs on. */
  async endInput(): Promise<void> {
    await this.#process?.closeStdin();
  }

  /** Ends its run, whatever bash does; bash itself goes on. */
  endRun(reason: MachineProcessExit['reason']): void {
    const unknown = { exitCode: -1, signal: undefined, durationMs: 0, cpuMs: 0, maxRssBytes: 0 };
    this.#end({ type: 'exit', exit: { type: 'exit', reason, ...unknown } });
  }

  async kill(signal?: Parameters<ProcessHandle['kill']>[0]): Promise<void> {
    await this.#process?.kill(signal);
  }

  #begin(listener: MachineProcessListener, text: (number: number) => Uint8Array): Promise<RunEnd> {
    if (this.#exit) return Promise.resolve({ type: 'exit', exit: this.#exit });
    const run = { number: ++this.#lastNumber, listener, end: Promise.withResolvers<RunEnd>() };
    this.#run = run;
    this.#write(text(run.number));
    return run.end.promise;
  }

  /** A bash that has got a part of a text would take what comes next for the rest: it ends. */
  #write(bytes: Uint8Array): void {
    this.#process?.write(bytes).catch(() => this.kill().catch(() => undefined));
  }

  async #onEvent(event: MachineProcessEvent): Promise<void> {
    if (event.type === 'exit') this.#onExit(event);
    else if (event.type === 'status') this.#onStatus(event);
    else await this.#run?.listener(event);
  }

  #onStatus({ bytes, missing = [], cpuMs = 0 }: Extract<MachineProcessEvent, { type: 'status' }>): void {
    if (this.#isBroken) return;
    this.#cpuMs = cpuMs;
    this.#missing.push(...missing.slice(0, limits.missingPrograms - this.#missing.length));
    try {
      for (const report of this.#reports.push(bytes)) {
        const missing = this.#missing.splice(0);
        // A restored machine may report on what was run before it was.
        if (report.number !== this.#run?.number) continue;
        const cpuMs = this.#cpuMs - this.#earlierCpuMs;
        this.#earlierCpuMs = this.#cpuMs;
        this.#end({ type: 'report', report, missing, cpuMs });
      }
    } catch (error) {
      console.info(SandboxError.from(error).message);
      this.#isBroken = true;
      this.kill().catch(() => undefined);
    }
  }

  #onExit(exit: MachineProcessExit): void {
    // Of its last run, where the time of those before is known.
    const cpuMs = Math.max(0, exit.cpuMs - this.#earlierCpuMs);
    this.#exit = { ...exit, cpuMs, ...(this.#isBroken && { reason: 'machine-failed' }) };
    this.#end({ type: 'exit', exit: this.#exit });
  }

  #end(end: RunEnd): void {
    const run = this.#run;
    this.#run = undefined;
    run?.end.resolve(end);
  }
}

function sizeOf(envs: ExecRequest['envs'] = {}): number {
  return Object.entries(envs).reduce((sum, [name, value]) => sum + toByteString(name + value).length, 0);
}

import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { MachineProcessListener } from '../../protocol/machine-process.ts';
import type { ExecRequest, ExitStatus, ProcessHandle } from '../../protocol/sandbox/processes.ts';
import { lostShellParts, type ShellInfo } from '../../protocol/sandbox/shells.ts';
import type { RunningMachine } from '../machine/sandbox-machine.ts';
import { WatchedProcess, type WatchedProcessParts } from '../processes/watched-process.ts';
import { type SandboxRecord, withSettings } from '../sandbox-settings.ts';
import { SerialQueue } from '../serial-queue.ts';
import { BashProcess, type RunEnd } from './bash-process.ts';
import { missingParts } from './missing-parts.ts';
import type { QueuedRun } from './queued-run.ts';
import type { ShellReport } from './shell-report.ts';
import { shellCommand } from './shell-script.ts';
import { addToHistory, cwdOf, isSameState, type ShellState, stateOf } from './shell-state.ts';

export interface SandboxShellParts extends WatchedProcessParts {
  /** The environment and the directory of all processes of the sandbox. */
  readonly settings: Pick<SandboxRecord, 'cwd' | 'envs'>;
  /** Called when its state has changed; its history alone does not count. */
  readonly onChange: () => void;
  /** Time after a run at which a bash ends that has nothing but its shell's state; without it, it waits. */
  readonly idleMs?: number | undefined;
}

/** How a new shell begins: in a directory, or with a state that another one had (`missingParts` has `envs`). */
export interface ShellBeginning {
  readonly cwd?: string;
  readonly restored?: { readonly envs: readonly string[] };
}

/** A shell of a sandbox: its state, and a bash that goes on from it while there is one. */
export class SandboxShell {
  readonly id: string;
  readonly user: 'user' | 'root';
  readonly #parts: SandboxShellParts;
  readonly #queue = new SerialQueue();
  #waiting = 0;
  #current: QueuedRun | undefined;
  #first: ShellState;
  #state: ShellState;
  #bash: BashProcess | undefined;
  /** Exit status of its last run. */
  #status = 0;
  /** The machine was put back while bash ran: what it does now, and has for state, is not known. */
  #isUncertain = false;
  #isClosed = false;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #isReset = false;

  constructor(
    { id, user, state }: { readonly id: string; readonly user: 'user' | 'root'; readonly state: ShellState },
    parts: SandboxShellParts,
  ) {
    this.id = id;
    this.user = user;
    this.#first = state;
    this.#state = state;
    this.#parts = parts;
  }

  get info(): ShellInfo {
    const { id, user } = this;
    return {
      id,
      user,
      cwd: cwdOf(this.#state),
      isRunning: this.#current !== undefined,
      lost: this.#state.lost,
    };
  }

  get state(): ShellState {
    return this.#state;
  }

  /** Whether it is as it was opened because HEAD does not have it: then the next snapshot need not have it either. */
  get isReset(): boolean {
    return this.#isReset;
  }

  get pid(): number {
    return this.#bash?.pid ?? 0;
  }

  /** Starts it to see where it is. @throws timeout, not-found, and as `ProcessStarter.start` */
  async open({ cwd, restored }: ShellBeginning): Promise<void> {
    const running = await this.#parts.machine.running();
    await this.#parts.begun();
    const bash = await this.#start(running, cwd);
    const timer = setTimeout(() => bash.endRun('timeout'), limits.shellOpenTimeoutMs);
    const end = await bash.report().finally(() => clearTimeout(timer));
    if (end.type === 'exit') throw openError(end.exit.reason);
    const { report } = end;
    const before = this.#state;
    const state = this.#stateOf(report);
    const missing = restored ? missingParts(before.script, { report, ...restored }) : [];
    if (restored && before.cwd !== '.' && report.cwd !== before.cwd) throw directoryError(cwdOf(before));
    const lost = new Set([...before.lost, ...state.lost, ...missing]);
    this.#state = { ...state, lost: lostShellParts.filter((part) => lost.has(part)) };
    this.#first = this.#state;
    this.#waitIdle();
  }

  /** Runs it after those before it. @throws busy */
  enqueue(run: QueuedRun): void {
    if (this.#waiting >= limits.shellWaitingRuns) {
      const message = `Cannot run a command in shell "${this.id}": ${this.#waiting} others wait`;
      throw new SandboxError('busy', message, { details: { limit: limits.shellWaitingRuns } });
    }
    this.#waiting++;
    clearTimeout(this.#idle);
    void this.#queue.run(async () => {
      this.#waiting--;
      this.#current = run;
      await this.#serve(run).catch(() => undefined);
      this.#current = undefined;
      this.#waitIdle();
    });
  }

  /** Replaces its state, by the one of its opening where there is no other, and ends its bash. */
  resetTo(state: ShellState | undefined): void {
    this.#replaceState(state);
    this.#release();
  }

  /** The machine was restored: a bash that ran at the checkpoint goes on, and says at the next run what its state is. */
  onRestored(state: ShellState | undefined): void {
    this.#replaceState(state);
    if (this.#bash === undefined || this.#bash.hasEnded) {
      this.#release();
      return;
    }
    this.#isUncertain = true;
    this.#bash.endRun('checkout');
  }

  /** Ends runs that have not begun, and begins no others. */
  cancelWaiting(): void {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    this.#current?.cancel(closedError(this.id)).catch(() => undefined);
  }

  /** Ends it with all that runs in it, and what waits. */
  async close(): Promise<void> {
    this.#isClosed = true;
    try {
      await this.#current?.kill();
    } finally {
      this.#release();
    }
  }

  async #serve(run: QueuedRun): Promise<void> {
    try {
      if (!this.#isClosed) await run.waitForInput();
      if (run.hasEnded) return;
      if (this.#isClosed) throw closedError(this.id);
      run.begin((signal) => this.#bash?.kill(signal).catch(() => undefined));
      const running = await this.#parts.machine.running();
      const { command } = run;
      const request = { command, user: this.user, cwd: cwdOf(this.#state) };
      const start = (_: ExecRequest, listener: MachineProcessListener) =>
        this.#run(run, { running, listener });
      const listener = (event: Parameters<QueuedRun['tell']>[0]) => run.tell(event);
      const watched = { ...running, processes: { start } };
      run.follow(
        await new WatchedProcess(watched, { ...this.#parts, request, listener, by: 'shell' }).start(),
      );
    } catch (cause) {
      await run.fail(cause);
    }
    await run.ended;
  }

  async #run(
    run: QueuedRun,
    { running, listener }: { readonly running: RunningMachine; readonly listener: MachineProcessListener },
  ): Promise<ProcessHandle> {
    const { command, stdin } = run;
    const bash = await this.#ready(running);
    const startedAtMs = performance.now();
    const ended = bash.run({ command, stdin, status: this.#status }, listener);
    const tell = async (end: RunEnd) => {
      const cpuMs = end.type === 'exit' ? end.exit.cpuMs : end.cpuMs;
      const usage = { durationMs: performance.now() - startedAtMs, cpuMs, maxRssBytes: 0 };
      await listener({ type: 'exit', ...this.#take(end, { bash, command }), ...usage });
    };
    ended.then(tell).catch((cause) => run.fail(cause));
    return {
      pid: bash.pid,
      write: async () => {},
      closeStdin: async () => {},
      resize: async () => {},
      kill: (signal) => bash.kill(signal),
    };
  }

  /** A bash that goes on from the state. @throws as `ProcessStarter.start` */
  async #ready(running: RunningMachine): Promise<BashProcess> {
    if (this.#bash?.hasEnded) this.#release();
    if (this.#bash && this.#isUncertain) {
      const bash = this.#bash;
      const end = await bash.report();
      if (this.#bash === bash) this.#isUncertain = false;
      if (end.type === 'report' && this.#bash === bash) this.#setState(this.#stateOf(end.report));
      else this.#release();
    }
    return this.#bash ?? this.#start(running, undefined);
  }

  async #start({ processes }: RunningMachine, cwd: string | undefined): Promise<BashProcess> {
    const own = { command: shellCommand, user: this.user, stdin: true };
    const request = withSettings(cwd === undefined ? own : { ...own, cwd }, this.#parts.settings);
    const bash = await BashProcess.start({ processes, request, state: this.#state });
    this.#bash = bash;
    this.#isUncertain = false;
    return bash;
  }

  /** How a run ended, with the state after it; that of before where it has ended its bash. */
  #take(
    end: RunEnd,
    { bash, command }: { readonly bash: BashProcess; readonly command: string },
  ): Pick<Extract<RunEnd, { type: 'exit' }>['exit'], 'exitCode' | 'signal' | 'reason' | 'limit' | 'missing'> {
    if (end.type === 'exit') {
      if (this.#bash === bash && bash.hasEnded) this.#release();
      const { exitCode, signal, reason, limit, missing } = end.exit;
      return {
        ...{ exitCode, signal, reason },
        ...(limit === undefined ? {} : { limit }),
        ...(missing === undefined ? {} : { missing }),
      };
    }
    const { report, missing } = end;
    const { status } = report;
    if (this.#bash === bash) {
      this.#setState(this.#stateOf(end.report, addToHistory(this.#state.history, command)));
      this.#status = status;
    }
    const ended = { exitCode: status, signal: undefined, reason: 'exited' } as const;
    return missing.length === 0 ? ended : { ...ended, missing };
  }

  #stateOf(report: ShellReport, history = this.#state.history): ShellState {
    return stateOf(report, { envs: this.#parts.settings.envs ?? {}, history });
  }

  /** The files are those of a snapshot: so is the state. */
  #replaceState(state: ShellState | undefined): void {
    this.#state = state ?? this.#first;
    this.#isReset = state === undefined;
    this.#status = 0;
  }

  #setState(state: ShellState): void {
    const before = this.#state;
    this.#state = state;
    if (isSameState(before, state)) return;
    this.#isReset = false;
    this.#parts.onChange();
  }

  #waitIdle(): void {
    const { idleMs } = this.#parts;
    clearTimeout(this.#idle);
    // What a state lacks would be lost with the bash.
    if (idleMs === undefined || !this.#bash || this.#isClosed || this.#state.lost.length > 0) return;
    const end = () => void this.#queue.run(() => this.#endIdle()).catch(() => undefined);
    this.#idle = setTimeout(end, idleMs);
  }

  /** Its next run gets a bash that goes on from the state. */
  async #endIdle(): Promise<void> {
    const bash = this.#bash;
    if (!bash || bash.hasEnded || this.#isUncertain || this.#isClosed || this.#waiting > 0) return;
    const timer = setTimeout(() => bash.endRun('timeout'), limits.shellOpenTimeoutMs);
    const isBare = await bash.isBare().finally(() => clearTimeout(timer));
    if (!isBare || this.#bash !== bash) return;
    this.#bash = undefined;
    await bash.endInput();
  }

  #release(): void {
    clearTimeout(this.#idle);
    this.#bash?.kill().catch(() => undefined);
    this.#bash = undefined;
    this.#isUncertain = false;
  }
}

function openError(reason: ExitStatus['reason']): SandboxError {
  if (reason !== 'timeout')
    return new SandboxError('machine-failed', 'Cannot open the shell: its bash has ended');
  const message = `Cannot open the shell: its bash did not answer within ${limits.shellOpenTimeoutMs} ms`;
  return new SandboxError('timeout', message);
}

function directoryError(cwd: string): SandboxError {
  const message = `Cannot open the shell in ${JSON.stringify(cwd)}, where it was saved: there is no such directory, or it may not be entered`;
  return new SandboxError('not-found', message, { details: { path: cwd } });
}

function closedError(id: string): SandboxError {
  return new SandboxError('not-found', `Cannot run a command in shell "${id}": it was closed`);
}

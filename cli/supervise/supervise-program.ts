import { errorTable, SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { ExitStatus } from '../../protocol/sandbox/processes.ts';
import { type Outcome, RestartPolicy } from './restart-policy.ts';

/** A start of the program after the first. */
export interface Restart {
  readonly atMs: number;
  readonly why: string;
}

/** How a supervised program is doing. */
export interface SupervisedState {
  readonly state: 'running' | 'pausing' | 'ended';
  /** The last time, as `Date.now()`. */
  readonly startedAtMs: number;
  /** The last `limits.supervisedStarts`. */
  readonly restarts: readonly Restart[];
}

export interface SuperviseParts {
  /** Whether it is started again at all. */
  readonly relaunches: boolean;
  /** Runs the program to its end. @throws where it does not start */
  run(): Promise<ExitStatus>;
  kill(signal: StopSignal): Promise<void>;
  /** Has the sandbox run on another machine; only where its own has failed. Tried again where it fails, as a start is. */
  renewMachine(): Promise<void>;
  /** Told before the program is started again. */
  onRestart(why: string): void;
  /** Resolves after a while, or when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  now(): number;
}

export type StopSignal = 'SIGTERM' | 'SIGINT' | 'SIGQUIT' | 'SIGHUP' | 'SIGKILL';

const signalExitCodes = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGKILL: 137, SIGTERM: 143 } as const;

/** Keeps one program running in a sandbox, until it ends by itself or is told to. */
export class SupervisedProgram {
  readonly #parts: SuperviseParts;
  readonly #stopping = new AbortController();
  readonly #restarts: Restart[] = [];
  #state: SupervisedState['state'] = 'pausing';
  #startedAtMs = 0;
  #needsMachine = false;
  /** The first signal that is to end it. */
  #signal: StopSignal | undefined;
  readonly #done = new AbortController();

  constructor(parts: SuperviseParts) {
    this.#parts = parts;
  }

  get state(): SupervisedState {
    return { state: this.#state, startedAtMs: this.#startedAtMs, restarts: [...this.#restarts] };
  }

  /** Starts it, and again as `RestartPolicy` says. Resolves to how it ended in the end, with why in words if that is no plain end. */
  async run(): Promise<{ readonly exitCode: number; readonly why?: string }> {
    const policy = new RestartPolicy();
    try {
      for (;;) {
        if (this.#signal) return { exitCode: signalExitCodes[this.#signal] };
        const failure = this.#needsMachine ? await this.#renewMachine() : undefined;
        if (this.#signal) return { exitCode: signalExitCodes[this.#signal] };
        const sinceMs = this.#parts.now();
        this.#startedAtMs = Date.now();
        this.#state = 'running';
        const outcome = failure ?? (await this.#runOnce());
        const decision = policy.decide(outcome, this.#parts.now() - sinceMs);
        if (decision.type === 'end') {
          const { type: _type, ...end } = decision;
          return end;
        }
        if (!this.#parts.relaunches) return { exitCode: signalExitCodes.SIGKILL, why: decision.why };
        if (this.#signal) return { exitCode: signalExitCodes[this.#signal] };
        this.#state = 'pausing';
        if (decision.afterMs > 0) await this.#parts.wait(decision.afterMs, this.#stopping.signal);
        if (this.#signal) continue;
        this.#needsMachine ||= decision.needsMachine;
        this.#noteRestart(decision.why);
      }
    } finally {
      this.#state = 'ended';
      this.#done.abort();
    }
  }

  /**
   * Passes a signal on. SIGTERM and SIGHUP mean the end: a program that ignores them is killed after
   * `limits.superviseGraceMs`, and none is started again.
   */
  async signal(signal: StopSignal): Promise<void> {
    const { kill, wait } = this.#parts;
    const ends = signal === 'SIGTERM' || signal === 'SIGHUP';
    if (ends && this.#signal === undefined) {
      this.#signal = signal;
      this.#stopping.abort();
      void wait(limits.superviseGraceMs, this.#done.signal).then(() =>
        this.#done.signal.aborted ? undefined : kill('SIGKILL').catch(ignore),
      );
    } else if (this.#state === 'pausing') {
      this.#signal ??= signal;
      this.#stopping.abort();
    }
    // One that has just ended has nothing to be told.
    await kill(signal).catch(ignore);
  }

  async #runOnce(): Promise<Outcome> {
    try {
      return { type: 'ended', status: await this.#parts.run() };
    } catch (error) {
      return notStarted(error);
    }
  }

  /** Where its machine has failed. Answers why there is no other yet. */
  async #renewMachine(): Promise<Outcome | undefined> {
    try {
      await this.#parts.renewMachine();
      this.#needsMachine = false;
      return undefined;
    } catch (error) {
      return notStarted(error);
    }
  }

  #noteRestart(why: string): void {
    this.#restarts.push({ atMs: Date.now(), why });
    if (this.#restarts.length > limits.supervisedStarts) this.#restarts.shift();
    this.#parts.onRestart(why);
  }
}

function notStarted(error: unknown): Outcome {
  const { code, message } = SandboxError.from(error);
  // As a shell says of a program that is not there.
  const exitCode = code === 'not-found' ? 127 : errorTable[code].exitCode;
  return { type: 'not-started', why: message, exitCode };
}

function ignore(): void {}

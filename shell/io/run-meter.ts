import { nextTask } from '../../tree/next-task.ts';
import { type RunLimit, runLimits } from '../limits.ts';
import { ShellLimitError } from '../shell-error.ts';

/** What a client allows a run: of what it does not name, the usual. */
export type RunLimits = { readonly [Name in RunLimit]?: number };

/** What a run has used: a process that a client started, with all that it starts. */
export class RunMeter {
  readonly #limits: RunLimits;
  #counts: Record<'commands' | 'loopIterations', number> = { commands: 0, loopIterations: 0 };
  #cpuMs = 0;
  /** A limit of all its processes together was reached: none of them goes on. */
  #reached: RunLimit | undefined;

  constructor(limits: RunLimits = {}) {
    this.#limits = limits;
  }

  /** Time in which its processes had the thread. */
  get cpuMs(): number {
    return this.#cpuMs + (running === this ? performance.now() - runningSinceMs : 0);
  }

  limit(name: RunLimit): number {
    return this.#limits[name] ?? runLimits[name].usual;
  }

  /** One more. @throws ShellLimitError */
  count(name: 'commands' | 'loopIterations'): void {
    this.#counts[name] += 1;
    if (this.#reached) throw this.#error(this.#reached);
    if (this.#counts[name] <= this.limit(name)) return;
    this.#reached = name;
    throw this.#error(name);
  }

  /** @throws ShellLimitError */
  check(name: RunLimit, value: number): void {
    if (value > this.limit(name)) throw this.#error(name);
  }

  #error(name: RunLimit): ShellLimitError {
    return new ShellLimitError(name, `more than ${this.limit(name)} ${runLimits[name].unit}`);
  }

  /** The next run of a shell that goes on from one to the next. */
  restart(): void {
    this.#counts = { commands: 0, loopIterations: 0 };
    this.#reached = undefined;
  }

  /** One of its processes has the thread from here on, until another one has, or until there is nothing to do. */
  takeThread(): void {
    if (running === this) return;
    const nowMs = performance.now();
    if (running) running.#cpuMs += nowMs - runningSinceMs;
    else void nextTask().then(RunMeter.#leaveThread);
    running = this;
    runningSinceMs = nowMs;
  }

  /** All that could go on at once has done so. */
  static #leaveThread(this: void): void {
    if (running) running.#cpuMs += performance.now() - runningSinceMs;
    running = undefined;
  }
}

let running: RunMeter | undefined;
let runningSinceMs = 0;

/** Meters by the signals of processes, which all that waits for a process is given. */
const meters = new WeakMap<AbortSignal, RunMeter>();

export function setMeter(signal: AbortSignal, meter: RunMeter): void {
  meters.set(signal, meter);
}

/** The process of that signal goes on after it has waited. */
export function resumed(signal: AbortSignal | undefined): void {
  if (signal) meters.get(signal)?.takeThread();
}

import { WaitQueue } from '../io/wait-queue.ts';
import { CommandDiscard, SignalledExit } from './control-flow.ts';
import type { Traps } from './traps.ts';

/** Signals after which the trap of `EXIT` is run before they end the shell. */
const endingSignals: ReadonlySet<string> = new Set([
  'SIGHUP',
  'SIGINT',
  'SIGTERM',
  'SIGQUIT',
  'SIGALRM',
  'SIGUSR1',
  'SIGUSR2',
]);

/** Signals that do not end a shell at a prompt. */
const promptSignals: ReadonlySet<string> = new Set(['SIGTERM', 'SIGINT', 'SIGQUIT']);

/** What a shell does about signals that come while it runs. */
export class ShellSignals {
  readonly #isInteractive: boolean;
  #endingSignal: string | undefined;
  /** Aborted once Ctrl-C came at the prompt's terminal: the command that runs is given up. */
  #interruption = new AbortController();
  readonly #arrivals: WaitQueue = new WaitQueue();

  constructor({ isInteractive }: { isInteractive: boolean }) {
    this.#isInteractive = isInteractive;
  }

  /** Whether the shell does something about a signal: a trap, or what `check` throws. */
  receive(signal: string, traps: Traps): boolean {
    const command = traps.get(signal);
    if (command === '') return true;
    if (command !== undefined) traps.receive(signal);
    else if (this.#isInteractive && promptSignals.has(signal)) {
      if (signal === 'SIGINT') this.#interruption.abort(new CommandDiscard(130));
    } else if (endingSignals.has(signal) && traps.get('EXIT')) this.#endingSignal = signal;
    else return false;
    this.#arrivals.wakeAll();
    return true;
  }

  /** Between commands. @throws CommandDiscard of what is interrupted; SignalledExit of a shell that ends */
  check(): void {
    const { signal: interruption } = this.#interruption;
    this.dropInterrupt();
    interruption.throwIfAborted();
    if (this.#endingSignal === undefined) return;
    const signal = this.#endingSignal;
    this.#endingSignal = undefined;
    throw new SignalledExit(signal);
  }

  get isEnding(): boolean {
    return this.#endingSignal !== undefined;
  }

  /** Aborted with the CommandDiscard that `check` would throw. */
  get interruption(): AbortSignal {
    return this.#interruption.signal;
  }

  /** What was interrupted has ended; what comes is not. */
  dropInterrupt(): void {
    if (this.#interruption.signal.aborted) this.#interruption = new AbortController();
  }

  /** Resolves when a signal comes that the shell does something about. */
  arrival(signal: AbortSignal): Promise<void> {
    return this.#arrivals.wait(signal);
  }
}

import { SandboxError } from '../../protocol/errors.ts';
import { GrowingBytes } from '../../protocol/growing-bytes.ts';
import { signalNumber } from '../../protocol/init/signals.ts';
import { limits } from '../../protocol/limits.ts';
import type { ExitStatus, ProcessHandle, ProcessListener } from '../../protocol/sandbox/processes.ts';
import type { ShellRun } from '../../protocol/sandbox/shells.ts';
import { settlesWithin } from './settles-within.ts';
import type { StdinBudget } from './stdin-budget.ts';

type Signal = Parameters<ProcessHandle['kill']>[0];

const unused = { durationMs: 0, cpuMs: 0, maxRssBytes: 0, files: { created: [], modified: [], deleted: [] } };

export interface QueuedRunParts {
  readonly pid: number;
  readonly listener: ProcessListener;
  readonly budget: StdinBudget;
}

/** A command that a shell was asked to run. Before it begins, it collects its input and can be killed. */
export class QueuedRun implements ProcessHandle {
  readonly pid: number;
  readonly command: string;
  readonly #listener: ProcessListener;
  readonly #budget: StdinBudget;
  /** Resolves when its input is complete, or it has ended. */
  readonly #ready = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #stdin: GrowingBytes | undefined;
  #process: Pick<ProcessHandle, 'kill'> | undefined;
  #state: 'waiting' | 'begun' | 'ended' = 'waiting';
  #killBash: (signal: Signal) => void = () => {};
  /** What it was sent while its bash was made ready. */
  #signal: Signal;

  constructor({ command, stdin }: ShellRun, { pid, listener, budget }: QueuedRunParts) {
    this.pid = pid;
    this.command = command;
    this.#listener = listener;
    this.#budget = budget;
    if (stdin) this.#stdin = new GrowingBytes();
    else this.#ready.resolve();
  }

  get hasEnded(): boolean {
    return this.#state === 'ended';
  }

  /** Resolves when it has ended. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  get stdin(): Uint8Array | undefined {
    return this.#stdin?.view;
  }

  get #stdinBytes(): number {
    return this.#stdin?.length ?? 0;
  }

  /** Resolves when its input is complete, or it has ended. @throws timeout when no more of it comes */
  async waitForInput(): Promise<void> {
    for (let before = -1; before < this.#stdinBytes; ) {
      before = this.#stdinBytes;
      if (await settlesWithin(this.#ready.promise, limits.shellStdinTimeoutMs)) return;
    }
    const message = `Cannot run the command: its input was not closed within ${limits.shellStdinTimeoutMs} ms`;
    throw new SandboxError('timeout', message);
  }

  /** @throws limit-exceeded; busy; not-found once it has begun, or where it has no input */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#state !== 'waiting' || !this.#stdin)
      throw new SandboxError('not-found', 'Cannot write to the command: it does not read, or has begun');
    if (this.#stdinBytes + bytes.length > limits.shellStdinBytes) {
      const message = `Cannot write more than ${limits.shellStdinBytes} bytes to a command of a shell: put them into a file`;
      throw new SandboxError('limit-exceeded', message, { details: { limit: limits.shellStdinBytes } });
    }
    this.#budget.reserve(bytes.length);
    this.#stdin.add(bytes);
  }

  async closeStdin(): Promise<void> {
    this.#ready.resolve();
  }

  async resize(): Promise<void> {}

  /** Ends the shell's bash with all that runs in it; a run that has not begun does not begin. */
  async kill(signal: Signal = 'SIGKILL'): Promise<void> {
    if (this.#process) return this.#process.kill(signal);
    if (this.#state === 'begun') {
      this.#signal = signal;
      this.#killBash(signal);
      return;
    }
    await this.end({ ...unused, exitCode: 128 + signalNumber(signal), signal, reason: 'killed' });
  }

  /** It is about to run, once its bash is ready: `killBash` ends what that may wait for. */
  begin(killBash: (signal: Signal) => void): void {
    this.#state = 'begun';
    this.#killBash = killBash;
  }

  /** It runs. */
  follow(process: Pick<ProcessHandle, 'kill'>): void {
    this.#process = process;
    if (this.#signal) process.kill(this.#signal).catch(() => undefined);
  }

  tell(event: Parameters<ProcessListener>[0]): ReturnType<ProcessListener> {
    if (event.type !== 'exit') return this.#listener(event);
    const { type, ...status } = event;
    return this.end(status);
  }

  /** Ends it where it has not begun. */
  async cancel(cause: SandboxError): Promise<void> {
    if (this.#state === 'waiting') await this.fail(cause);
  }

  /** It could not begin, or go on. */
  async fail(cause: unknown): Promise<void> {
    const { message } = SandboxError.from(cause);
    await Promise.resolve(
      this.#listener({ type: 'stderr', bytes: new TextEncoder().encode(`${message}\n`) }),
    ).catch(() => undefined);
    await this.end({ ...unused, exitCode: -1, signal: undefined, reason: 'machine-failed' });
  }

  async end(status: ExitStatus): Promise<void> {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#process = undefined;
    this.#budget.release(this.#stdinBytes);
    this.#stdin = undefined;
    this.#ready.resolve();
    this.#ended.resolve();
    await this.#listener({ type: 'exit', ...status });
  }
}

import { once } from 'node:events';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import type {
  ExecRequest,
  ExitStatus,
  ProcessEvent,
  ProcessHandle,
  ProcessListener,
} from '../../protocol/sandbox/processes.ts';
import type { CliContext, CliInput, CliOutput } from '../context.ts';

/** A program that is to run inside, on this process's terminal or pipes. */
export type PassedProgram = Pick<ExecRequest, 'command' | 'cwd' | 'envs' | 'user' | 'limits'>;

export type PassedSignal = NonNullable<Parameters<ProcessHandle['kill']>[0]>;

export interface PassThroughOptions {
  /** Whether the program gets a terminal; by default where standard input and output are one. */
  readonly terminal?: boolean | undefined;
}

/** What a program that is killed may have left a terminal in: other screen, paste and mouse modes, no cursor, colours. */
const resetTerminal =
  '\x1b[?1049l\x1b[?2004l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?25h\x1b[0m\x1b>';
/** Of a terminal that does not say its size. */
const usualSize = { columns: 80, rows: 24 };
/** What programs inside learn of the terminal outside. */
const terminalVariables = ['TERM', 'COLORTERM', 'NO_COLOR', 'LANG', 'LC_ALL'] as const;

/**
 * Passes this process's standard streams to programs of a sandbox, one after the other, byte for byte: with a terminal
 * in raw mode, its size and all that is typed, or else as pipes. Owns the streams until it is disposed of, which sets
 * the terminal back. Used by `exec`, `supervise` and `shell --tty`.
 */
export class PassThrough implements Disposable {
  readonly isTerminal: boolean;
  readonly #stdin: CliInput;
  readonly #stdout: CliOutput;
  readonly #stderr: CliOutput;
  readonly #environment: CliContext['environment'];
  #process: ProcessHandle | undefined;
  /** What a program is to be sent that is just being started. */
  #signals: PassedSignal[] | undefined;
  #hasEnded = false;
  /** What was read of standard input and no program has taken. */
  #unsent: Uint8Array | undefined;
  #isSending = false;
  #outputError: Error | undefined;

  constructor({ stdin, stdout, stderr, environment }: CliContext, { terminal }: PassThroughOptions = {}) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.#environment = environment;
    this.isTerminal = terminal ?? (stdin.isTTY === true && stdout.isTTY === true);
    if (this.isTerminal) stdin.setRawMode?.(true);
    stdin.on('data', this.#onInput);
    stdin.on('end', this.#onInputEnd);
    stdin.pause();
    for (const output of [stdout, stderr]) output.on('error', this.#onOutputError);
    stdout.on('resize', this.#onResize);
  }

  /**
   * Runs a program to its end, whatever ends it. Where nobody takes its output any more, it is killed.
   * @throws as `exec` where it does not start
   */
  async run(connection: Pick<SandboxConnection, 'processes'>, program: PassedProgram): Promise<ExitStatus> {
    const ended = Promise.withResolvers<ExitStatus>();
    const process = await this.#start(connection, this.#request(program), async (event) => {
      if (event.type !== 'exit') return this.#write(event);
      const { type: _type, ...status } = event;
      ended.resolve(status);
    });
    if (this.#unsent || !this.#hasEnded) this.#send();
    else process.closeStdin().catch(ignore);
    try {
      return await ended.promise;
    } finally {
      this.#process = undefined;
      this.#stdin.pause();
    }
  }

  /** Sends what runs, or is just being started, a signal. */
  async kill(signal: PassedSignal): Promise<void> {
    if (this.#process) await this.#process.kill(signal);
    else this.#signals?.push(signal);
  }

  /** Undoes what a program that was killed has set in the terminal. */
  reset(): void {
    if (this.isTerminal) this.#stdout.write(resetTerminal);
  }

  [Symbol.dispose](): void {
    if (this.isTerminal) this.#stdin.setRawMode?.(false);
    this.#stdin.off('data', this.#onInput);
    this.#stdin.off('end', this.#onInputEnd);
    this.#stdin.pause();
    for (const output of [this.#stdout, this.#stderr]) output.off('error', this.#onOutputError);
    this.#stdout.off('resize', this.#onResize);
  }

  async #start(
    connection: Pick<SandboxConnection, 'processes'>,
    request: ExecRequest,
    listener: ProcessListener,
  ): Promise<ProcessHandle> {
    this.#signals = [];
    try {
      const process = await connection.processes.exec(request, listener);
      this.#process = process;
      for (const signal of this.#signals) process.kill(signal).catch(ignore);
      return process;
    } finally {
      this.#signals = undefined;
    }
  }

  #request({ envs, ...program }: PassedProgram): ExecRequest {
    if (!this.isTerminal) return { ...program, stdin: true, ...(envs ? { envs } : {}) };
    const known = terminalVariables.flatMap((name) => {
      const value = this.#environment[name];
      return value === undefined ? [] : [[name, value] as const];
    });
    return { ...program, stdin: true, pty: this.#size(), envs: { ...Object.fromEntries(known), ...envs } };
  }

  #size(): { columns: number; rows: number } {
    const { columns, rows } = this.#stdout;
    return columns && rows ? { columns, rows } : usualSize;
  }

  readonly #onInput = (bytes: Buffer | string): void => {
    this.#stdin.pause();
    this.#unsent = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    this.#send();
  };

  readonly #onInputEnd = (): void => {
    this.#hasEnded = true;
    this.#process?.closeStdin().catch(ignore);
  };

  readonly #onResize = (): void => {
    this.#process?.resize(this.#size()).catch(ignore);
  };

  readonly #onOutputError = (error: Error): void => {
    this.#outputError = error;
    this.#process?.kill().catch(ignore);
  };

  /** Gives the program what was read, and reads on when it has taken that. What one that ends has not taken is gone. */
  #send(): void {
    const process = this.#process;
    if (!process || this.#isSending) return;
    const bytes = this.#unsent;
    if (!bytes) {
      this.#stdin.resume();
      return;
    }
    this.#unsent = undefined;
    this.#isSending = true;
    process
      .write(bytes)
      .catch(ignore)
      .finally(() => {
        this.#isSending = false;
        this.#send();
      });
  }

  async #write({ type, bytes }: Exclude<ProcessEvent, { type: 'exit' }>): Promise<void> {
    if (this.#outputError) throw this.#outputError;
    const output = type === 'stdout' ? this.#stdout : this.#stderr;
    if (output.write(bytes)) return;
    const taken = new AbortController();
    const { signal } = taken;
    try {
      // One that is destroyed never drains.
      await Promise.race([once(output, 'drain', { signal }), once(output, 'close', { signal })]);
    } finally {
      taken.abort();
    }
  }
}

function ignore(): void {}

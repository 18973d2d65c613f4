import { SandboxError } from '../../protocol/errors.ts';
import { CallbackOutput } from '../../shell/io/callback-output.ts';
import { nullFile } from '../../shell/io/null-file.ts';
import { QueueInput } from '../../shell/io/queue-input.ts';
import { shellLimits } from '../../shell/limits.ts';
import type { ProcessStart, ShellProcess } from '../../shell/shell-processes.ts';
import { Terminal } from '../../shell/terminal/terminal.ts';
import type { ProcessEvents } from './process-events.ts';

interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** The client's end of a process: what it types and what it is shown. */
export interface ProcessClient {
  readonly files: Pick<ProcessStart, 'stdin' | 'stdout' | 'stderr' | 'status'>;
  process: ShellProcess | undefined;
  /** @throws not-found once the process has ended, or where it has no input */
  write(bytes: Uint8Array): Promise<void>;
  closeInput(): void;
  resize(size: Size): void;
  /** The process has ended. */
  end(): void;
}

interface StreamsClientOptions {
  readonly hasInput: boolean;
  readonly hasStatus: boolean;
  readonly events: ProcessEvents;
}

/** A client with standard input, output and error, and a status descriptor where it wants one. */
export class StreamsClient implements ProcessClient {
  readonly files: ProcessClient['files'];
  process: ShellProcess | undefined;
  readonly #input: QueueInput | undefined;
  #hasEnded = false;

  constructor({ hasInput, hasStatus, events }: StreamsClientOptions) {
    this.#input = hasInput ? new QueueInput() : undefined;
    this.files = {
      stdin: this.#input ?? nullFile,
      stdout: new CallbackOutput({ onBytes: (bytes) => events.output('stdout', bytes) }),
      stderr: new CallbackOutput({ onBytes: (bytes) => events.output('stderr', bytes) }),
      ...(hasStatus && { status: new CallbackOutput({ onBytes: (bytes) => events.status(bytes) }) }),
    };
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#input === undefined || this.#hasEnded) throw noInput(this.process);
    this.#input.feed(bytes);
    await this.#input.drained(shellLimits.pipeBytes);
  }

  closeInput(): void {
    this.#input?.end();
  }

  resize(): void {}

  end(): void {
    this.#hasEnded = true;
    this.#input?.end();
  }
}

/** A client at a terminal. */
export class TerminalClient implements ProcessClient {
  readonly files: ProcessClient['files'];
  process: ShellProcess | undefined;
  readonly #terminal: Terminal;
  #hasEnded = false;

  constructor(size: Size, { number, events }: { readonly number: number; readonly events: ProcessEvents }) {
    this.#terminal = new Terminal(size, {
      number,
      show: (bytes) => events.output('stdout', bytes),
      signal: (name) => this.process?.interrupt(name),
    });
    this.files = { stdin: this.#terminal, stdout: this.#terminal, stderr: this.#terminal };
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#hasEnded) throw noInput(this.process);
    await this.#terminal.input(bytes);
  }

  closeInput(): void {
    void this.#terminal.input(Uint8Array.of(0x04));
  }

  resize(size: Size): void {
    this.#terminal.resize(size);
  }

  end(): void {
    this.#hasEnded = true;
    this.#terminal.hangUp();
  }
}

function noInput(process: ShellProcess | undefined): SandboxError {
  return new SandboxError('not-found', `Cannot write to process ${process?.pid ?? 0}: it does not read`);
}

import { SandboxError } from '../protocol/errors.ts';
import type {
  ExecRequest,
  ExitStatus,
  ProcessEvent,
  ProcessHandle,
  SandboxConnection,
} from '../protocol/sandbox.ts';
import { listenAbort, throwIfAborted } from './abort.ts';
import { OutputBuffer } from './output-buffer.ts';

const encoder = new TextEncoder();

export interface RunOptions {
  readonly cwd?: string;
  readonly envs?: Readonly<Record<string, string>>;
  readonly user?: 'user' | 'root';
  /** Given at once and then closed; `true` leaves it open for `CommandHandle.sendStdin`. */
  readonly stdin?: string | Uint8Array | true;
  /** Output as it comes; a returned promise holds the process back until it settles. */
  readonly onStdout?: (text: string) => void | Promise<void>;
  readonly onStderr?: (text: string) => void | Promise<void>;
  /** Past it the whole process group is killed and the result says `timeout`. None by default. */
  readonly timeoutMs?: number;
  /** Aborting kills the process group and rejects with `aborted`. */
  readonly signal?: AbortSignal;
}

/** What a command did. A non-zero exit code is a value, not an exception. */
export interface CommandResult extends ExitStatus {
  readonly stdout: string;
  readonly stderr: string;
  /** Output beyond `limits.resultOutputBytes` per stream, not kept. */
  readonly droppedBytes: number;
}

/** A command under way. */
export interface CommandHandle {
  readonly pid: number;
  wait(): Promise<CommandResult>;
  kill(): Promise<void>;
  sendStdin(data: string | Uint8Array): Promise<void>;
  closeStdin(): Promise<void>;
}

/** Runs commands in a sandbox: `sandbox.commands`. */
export class Commands {
  readonly #connection: SandboxConnection;

  constructor(connection: SandboxConnection) {
    this.#connection = connection;
  }

  /**
   * Runs a command to its end, or with `background` resolves as soon as it has started. A string
   * runs under bash; an array is executed as it is.
   * @throws aborted, connection-lost, not-found (no such program or directory), limit-exceeded
   */
  run(
    command: string | readonly string[],
    options: RunOptions & { background: true },
  ): Promise<CommandHandle>;
  run(
    command: string | readonly string[],
    options?: RunOptions & { background?: false },
  ): Promise<CommandResult>;
  async run(
    command: string | readonly string[],
    options: RunOptions & { background?: boolean } = {},
  ): Promise<CommandHandle | CommandResult> {
    const handle = await this.#start(command, options);
    return options.background ? handle : handle.wait();
  }

  async #start(command: string | readonly string[], options: RunOptions): Promise<CommandHandle> {
    throwIfAborted(options.signal, `Cannot run ${JSON.stringify(command)}`);
    const end = Promise.withResolvers<CommandResult>();
    // A caller of a background command may never ask; an unheard rejection would take the page down.
    end.promise.catch(() => {});
    const collector = new ResultCollector(options, end.resolve);
    const process = await this.#connection.exec(execRequest(command, options), (event) =>
      collector.accept(event),
    );
    this.#watch(process, { options, collector, end });
    await feedStdin(process, options.stdin);
    return {
      pid: process.pid,
      wait: () => end.promise,
      kill: () => process.kill(),
      sendStdin: (data) => process.write(toBytes(data)),
      closeStdin: () => process.closeStdin(),
    };
  }

  /** Deadline, abort and a lost connection, each let go of when the command ends. */
  #watch(
    process: ProcessHandle,
    context: { options: RunOptions; collector: ResultCollector; end: PromiseWithResolvers<CommandResult> },
  ): void {
    const { options, collector, end } = context;
    const giveUp = (error: SandboxError) => end.reject(error);
    const timer =
      options.timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            collector.reason = 'timeout';
            process.kill().catch((cause) => giveUp(SandboxError.from(cause)));
          }, options.timeoutMs);
    const unlisten = listenAbort(options.signal, () => {
      giveUp(new SandboxError('aborted', 'The command was aborted', { cause: options.signal?.reason }));
      process.kill().catch(() => {}); // The connection is gone, and the process with it.
    });
    const release = () => {
      clearTimeout(timer);
      unlisten();
    };
    end.promise.then(release, release);
  }
}

class ResultCollector {
  reason: ExitStatus['reason'] | undefined;
  readonly #stdout = new OutputBuffer();
  readonly #stderr = new OutputBuffer();
  readonly #options: RunOptions;
  readonly #finish: (result: CommandResult) => void;
  readonly #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };

  constructor(options: RunOptions, finish: (result: CommandResult) => void) {
    this.#options = options;
    this.#finish = finish;
  }

  accept(event: ProcessEvent): void | Promise<void> {
    switch (event.type) {
      case 'stdout':
        this.#stdout.push(event.bytes);
        return this.#options.onStdout?.(this.#decoders.stdout.decode(event.bytes, { stream: true }));
      case 'stderr':
        this.#stderr.push(event.bytes);
        return this.#options.onStderr?.(this.#decoders.stderr.decode(event.bytes, { stream: true }));
      case 'exit': {
        const { type, ...status } = event;
        this.#finish({
          ...status,
          reason: this.reason ?? status.reason,
          stdout: this.#stdout.text(),
          stderr: this.#stderr.text(),
          droppedBytes: this.#stdout.droppedBytes + this.#stderr.droppedBytes,
        });
      }
    }
  }
}

function execRequest(command: string | readonly string[], options: RunOptions): ExecRequest {
  return {
    command,
    stdin: options.stdin !== undefined,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.envs === undefined ? {} : { envs: options.envs }),
    ...(options.user === undefined ? {} : { user: options.user }),
  };
}

async function feedStdin(process: ProcessHandle, stdin: RunOptions['stdin']): Promise<void> {
  if (stdin === undefined || stdin === true) return;
  await process.write(toBytes(stdin));
  await process.closeStdin();
}

function toBytes(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? encoder.encode(data) : data;
}

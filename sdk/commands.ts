import { listenAbort, throwIfAborted } from '../protocol/abort.ts';
import { SandboxError } from '../protocol/errors.ts';
import { OutputBuffer } from '../protocol/output-buffer.ts';
import type { SandboxConnection } from '../protocol/sandbox/connection.ts';
import type {
  CommandLimits,
  ExecRequest,
  ExitStatus,
  ProcessEvent,
  ProcessHandle,
} from '../protocol/sandbox/processes.ts';

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
  /** Of a shell in the process: what the command's scripts may do. The result names the one that was reached. @throws unsupported elsewhere */
  readonly limits?: CommandLimits;
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

/** A command that may start: what is to run, and what its end goes through. */
export interface WatchedCommand {
  readonly command: string | readonly string[];
  finish(ended: Promise<CommandResult>): Promise<CommandResult>;
}

/** Is asked before each command, and told of its end; answers nothing where nobody watches. */
export interface CommandWatcher {
  /** @throws forbidden */
  begin(command: string | readonly string[], options: RunOptions): Promise<WatchedCommand> | undefined;
}

/** Runs commands in a sandbox: `sandbox.commands`. */
export class Commands {
  readonly #connection: Pick<SandboxConnection, 'processes'>;
  readonly #watcher: CommandWatcher | undefined;

  constructor(connection: Pick<SandboxConnection, 'processes'>, watcher?: CommandWatcher) {
    this.#connection = connection;
    this.#watcher = watcher;
  }

  /**
   * Runs a command to its end, or with `background` resolves as soon as it has started. A string
   * runs under bash; an array is executed as it is. What a callback throws ends the command.
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
    throwIfAborted(options.signal, `Cannot run ${JSON.stringify(command)}`);
    const begun = this.#watcher?.begin(command, options);
    const watched = begun && (await begun);
    const started = this.#start(watched?.command ?? command, options);
    const { starting } = started;
    const ended = watched?.finish(started.ended) ?? started.ended;
    ended.catch(() => {});
    if (!options.background) return ended;
    const process = await Promise.race([starting, ended.then(() => starting)]);
    return {
      pid: process.pid,
      wait: () => ended,
      kill: () => process.kill(),
      sendStdin: (data) => process.write(toBytes(data)),
      closeStdin: () => process.closeStdin(),
    };
  }

  #start(command: string | readonly string[], options: RunOptions): Started {
    const end = Promise.withResolvers<CommandResult>();
    // A caller of a background command may never ask; an unheard rejection would take the page down.
    end.promise.catch(() => {});
    const collector = new ResultCollector(options, end);
    const starting = this.#connection.processes.exec(execRequest(command, options), (event) =>
      collector.accept(event),
    );
    starting.then((process) => feedStdin(process, options.stdin), end.reject);
    this.#watch(starting, { options, collector, end });
    return { starting, ended: end.promise };
  }

  /** Deadline and abort, which count from the call on and are let go of when the command ends. */
  #watch(
    starting: Promise<ProcessHandle>,
    context: { options: RunOptions; collector: ResultCollector; end: PromiseWithResolvers<CommandResult> },
  ): void {
    const { options, collector, end } = context;
    const kill = () => starting.then((process) => process.kill());
    const timer =
      options.timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            collector.reason = 'timeout';
            kill().catch(end.reject);
          }, options.timeoutMs);
    const unlisten = listenAbort(options.signal, () => {
      end.reject(new SandboxError('aborted', 'The command was aborted', { cause: options.signal?.reason }));
      kill().catch(() => {}); // It did not start, or the connection is gone and the process with it.
    });
    const release = () => {
      clearTimeout(timer);
      unlisten();
    };
    end.promise.then(release, release);
  }
}

interface Started {
  readonly starting: Promise<ProcessHandle>;
  readonly ended: Promise<CommandResult>;
}

/** One output stream: kept for the result, and told as text as it comes. */
class ResultStream {
  readonly kept: OutputBuffer = new OutputBuffer();
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #onText: RunOptions['onStdout'];

  constructor(onText: RunOptions['onStdout']) {
    this.#onText = onText;
  }

  push(bytes: Uint8Array): void | Promise<void> {
    this.kept.push(bytes);
    return this.#tell(this.#decoder.decode(bytes, { stream: true }));
  }

  /** Tells of a character that was cut off by the end. */
  end(): void | Promise<void> {
    return this.#tell(this.#decoder.decode());
  }

  #tell(text: string): void | Promise<void> {
    return text === '' ? undefined : this.#onText?.(text);
  }
}

class ResultCollector {
  reason: ExitStatus['reason'] | undefined;
  readonly #stdout: ResultStream;
  readonly #stderr: ResultStream;
  readonly #end: PromiseWithResolvers<CommandResult>;

  constructor(options: RunOptions, end: PromiseWithResolvers<CommandResult>) {
    this.#stdout = new ResultStream(options.onStdout);
    this.#stderr = new ResultStream(options.onStderr);
    this.#end = end;
  }

  /** Rejects when the caller's own callback fails: then the process is killed, and the result is that failure. */
  async accept(event: ProcessEvent): Promise<void> {
    try {
      if (event.type === 'exit') await this.#finish(event);
      else await (event.type === 'stdout' ? this.#stdout : this.#stderr).push(event.bytes);
    } catch (cause) {
      this.#end.reject(cause);
      throw cause;
    }
  }

  async #finish({ type, ...status }: Extract<ProcessEvent, { type: 'exit' }>): Promise<void> {
    await Promise.all([this.#stdout.end(), this.#stderr.end()]);
    const [stdout, stderr] = [this.#stdout.kept, this.#stderr.kept];
    this.#end.resolve({
      ...status,
      reason: this.reason ?? status.reason,
      ...(this.reason === 'timeout' ? { limit: 'time' } : {}),
      stdout: stdout.text(),
      stderr: stderr.text(),
      droppedBytes: stdout.droppedBytes + stderr.droppedBytes,
    });
  }
}

function execRequest(command: string | readonly string[], options: RunOptions): ExecRequest {
  return {
    command,
    stdin: options.stdin !== undefined,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.envs === undefined ? {} : { envs: options.envs }),
    ...(options.user === undefined ? {} : { user: options.user }),
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  };
}

/** A process may end before it has read everything: that is its own affair, as `head` shows. */
async function feedStdin(process: ProcessHandle, stdin: RunOptions['stdin']): Promise<void> {
  if (stdin === undefined || stdin === true) return;
  await process
    .write(toBytes(stdin))
    .then(() => process.closeStdin())
    .catch(() => undefined);
}

function toBytes(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? encoder.encode(data) : data;
}

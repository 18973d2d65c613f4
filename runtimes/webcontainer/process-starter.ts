import type { WebContainer, WebContainerProcess } from '@webcontainer/api';
import { commandArguments } from '../../protocol/command-arguments.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { MachineProcessExit, MachineProcessListener } from '../../protocol/machine-process.ts';
import { noCommandLimits } from '../../protocol/no-command-limits.ts';
import type { ExecRequest, ProcessHandle } from '../../protocol/sandbox/processes.ts';
import type { OutputOptions, ProcessStarter } from '../../sandbox/machine/machine-ports.ts';
import { type HostWatch, orLate } from './host-watch.ts';
import { type InputFile, InputProcess } from './input-process.ts';
import { webcontainerLimits } from './limits.ts';

type ExitReason = MachineProcessExit['reason'];
type Signal = Parameters<ProcessHandle['kill']>[0];

/** Processes in a WebContainer, each in a terminal, as it has no other. */
export class WebContainerProcessStarter implements ProcessStarter {
  readonly #container: WebContainer;
  readonly #host: HostWatch;
  readonly #onChange: () => void;
  readonly #makeFile: (bytes: Uint8Array<ArrayBuffer>) => Promise<InputFile>;
  /** Processes whose input has not ended. */
  readonly #waiting = new Set<InputProcess>();
  readonly #starting = new Set<Promise<StartedProcess>>();
  /** How to have each ended that the host does not end. */
  readonly #running = new Map<WebContainerProcess, () => void>();
  #pid = 0;
  /** Why all of them end, once they do. */
  #closing: ExitReason | undefined;
  #isClosed = false;

  /** `onChange`: a process has begun or ended, so files may be others. */
  constructor(
    container: WebContainer,
    {
      host,
      onChange,
      makeFile,
    }: {
      readonly host: HostWatch;
      readonly onChange: () => void;
      readonly makeFile: (bytes: Uint8Array<ArrayBuffer>) => Promise<InputFile>;
    },
  ) {
    this.#container = container;
    this.#host = host;
    this.#onChange = onChange;
    this.#makeFile = makeFile;
  }

  get isBusy(): boolean {
    return this.#running.size + this.#starting.size > 0;
  }

  get #count(): number {
    return this.#running.size + this.#starting.size + this.#waiting.size;
  }

  async start(
    request: ExecRequest,
    listener: MachineProcessListener,
    { arrived = (bytes) => bytes, hasStatus = false }: OutputOptions = {},
  ): Promise<ProcessHandle> {
    assertSupported(request, hasStatus);
    if (this.#closing) throw stopped();
    if (this.#count >= webcontainerLimits.processes)
      throw new SandboxError(
        'busy',
        `Cannot start more than ${webcontainerLimits.processes} processes at once`,
      );
    if (request.stdin && !request.pty) return this.#startWithInput(request, listener, { arrived });
    const [program = '', ...args] = programFor(commandArguments(request).argv);
    const startedAtMs = performance.now();
    const { process, abandoned } = await this.#spawn(program, { args, request });
    this.#onChange();
    let killedBy: Signal;
    let hasEnded = false;
    const output = pipeOutput(process.output, {
      isTerminal: request.pty !== undefined,
      onBytes: async (bytes) => {
        if (!hasEnded) await listener({ type: 'stdout', bytes: arrived(bytes) });
      },
      onRefused: () => process.kill(),
    });
    void Promise.race([process.exit.catch(() => -1), abandoned])
      .then(async (exitCode) => {
        await Promise.race([output, abandoned]);
        hasEnded = true;
        this.#running.delete(process);
        this.#onChange();
        const reason = this.#closing ?? (killedBy === undefined ? 'exited' : 'signalled');
        const usage = { durationMs: performance.now() - startedAtMs, cpuMs: 0, maxRssBytes: 0 };
        await listener({
          type: 'exit',
          exitCode: this.#closing ? -1 : exitCode,
          signal: killedBy,
          reason,
          ...usage,
        });
      })
      .catch(() => undefined); // The listener takes no more.
    const input = process.input.getWriter();
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    return {
      pid: ++this.#pid,
      write: (bytes) => input.write(decoder.decode(bytes, { stream: true })),
      closeStdin: () => input.write('\x04'),
      resize: async ({ columns, rows }) => process.resize({ cols: columns, rows }),
      kill: async (signal = 'SIGKILL') => {
        if (signal === 'SIGINT') return input.write('\x03');
        killedBy ??= signal;
        process.kill();
      },
    };
  }

  #startWithInput(
    request: ExecRequest,
    listener: MachineProcessListener,
    { arrived }: Pick<OutputOptions, 'arrived'>,
  ): ProcessHandle {
    const waiting = new InputProcess({
      pid: ++this.#pid,
      request,
      listener: async (event) => {
        if (event.type === 'exit') this.#waiting.delete(waiting);
        await listener(event);
      },
      start: (ask, each) => {
        this.#waiting.delete(waiting);
        return this.start(ask, each, { arrived });
      },
      makeFile: this.#makeFile,
    });
    this.#waiting.add(waiting);
    return waiting;
  }

  /** Ends every process for that reason, those that are about to start too, and starts no more. */
  async close(reason: ExitReason): Promise<void> {
    this.#closing ??= reason;
    for (const waiting of [...this.#waiting]) await waiting.close(reason).catch(() => undefined); // Its listener takes no more.
    try {
      await orLate(this.#end(), this.#host.failure ? 0 : webcontainerLimits.endMs);
    } catch {
      for (const abandon of this.#running.values()) abandon();
    }
    this.#isClosed = true;
  }

  /** @throws connection-lost for one that begins too late */
  #add(process: WebContainerProcess): StartedProcess {
    if (this.#isClosed) {
      process.kill();
      throw stopped();
    }
    const { promise: abandoned, resolve } = Promise.withResolvers<number>();
    this.#running.set(process, () => resolve(-1));
    return { process, abandoned };
  }

  async #end(): Promise<void> {
    await Promise.allSettled(this.#starting);
    const running = [...this.#running.keys()];
    for (const process of running) process.kill();
    await Promise.allSettled(running.map((process) => process.exit));
  }

  async #spawn(
    program: string,
    { args, request }: { args: string[]; request: ExecRequest },
  ): Promise<StartedProcess> {
    const { cwd = '/', envs = {}, pty } = request;
    const options = {
      cwd: cwd.replace(/^\/+/, '') || '.',
      env: { ...envs },
      ...(pty ? { terminal: { cols: pty.columns, rows: pty.rows } } : {}),
    };
    const starting = this.#host
      .answer(() => this.#container.spawn(program, args, options))
      .then((process) => this.#add(process));
    this.#starting.add(starting);
    try {
      return await starting;
    } catch (cause) {
      if (cause instanceof SandboxError) throw cause;
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new SandboxError('not-found', `Cannot start "${program}": ${message}`, { cause });
    } finally {
      this.#starting.delete(starting);
    }
  }
}

/** Of a process that the host does not end, `abandoned` resolves to its exit code. */
interface StartedProcess {
  readonly process: WebContainerProcess;
  readonly abandoned: Promise<number>;
}

/** @throws unsupported */
function assertSupported({ user, limits }: ExecRequest, hasStatus: boolean): void {
  if (limits) throw noCommandLimits();
  const lacking = hasStatus ? 'status descriptor' : user === 'root' ? 'other user' : undefined;
  if (lacking === undefined) return;
  throw new SandboxError('unsupported', `Cannot start the process: WebContainer has no ${lacking}`, {
    details: { feature: hasStatus ? 'status' : 'user' },
  });
}

/** WebContainer's shell is `jsh`. */
function programFor(argv: readonly string[]): readonly string[] {
  const [program = '', ...args] = argv;
  if (!/^(\/bin\/|\/usr\/bin\/)?(ba)?sh$/.test(program)) return argv;
  return ['jsh', ...args.filter((argument) => argument !== '--login')];
}

function stopped(): SandboxError {
  return new SandboxError('connection-lost', 'The WebContainer has stopped');
}

/** Resolves when the listener has taken all. Without a terminal of the client's own, lines end as programs write them. */
async function pipeOutput(
  output: ReadableStream<string>,
  options: { isTerminal: boolean; onBytes: (bytes: Uint8Array) => Promise<void>; onRefused: () => void },
): Promise<void> {
  const encoder = new TextEncoder();
  let held = '';
  const reader = output.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    let text = held + piece.value;
    held = '';
    if (!options.isTerminal) {
      if (text.endsWith('\r')) held = '\r';
      text = text.slice(0, text.length - held.length).replaceAll('\r\n', '\n');
    }
    if (text !== '') await options.onBytes(encoder.encode(text)).catch(options.onRefused);
  }
  if (held !== '') await options.onBytes(encoder.encode(held)).catch(options.onRefused);
}

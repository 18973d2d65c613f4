import type { WebContainer, WebContainerProcess } from '@webcontainer/api';
import { commandArguments } from '../../protocol/command-arguments.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { MachineProcessExit, MachineProcessListener } from '../../protocol/machine-process.ts';
import type { ExecRequest, ProcessHandle } from '../../protocol/sandbox/processes.ts';
import type { OutputOptions, ProcessStarter } from '../../sandbox/machine/machine-ports.ts';
import { webcontainerLimits } from './limits.ts';

type ExitReason = MachineProcessExit['reason'];
type Signal = Parameters<ProcessHandle['kill']>[0];

/** Processes in a WebContainer, each in a terminal, as it has no other. */
export class WebContainerProcessStarter implements ProcessStarter {
  readonly #container: WebContainer;
  readonly #onChange: () => void;
  readonly #running = new Set<WebContainerProcess>();
  #pid = 0;
  /** Why all of them end, once they do. */
  #closing: ExitReason | undefined;

  /** `onChange`: a process has begun or ended, so files may be others. */
  constructor(container: WebContainer, { onChange }: { onChange: () => void }) {
    this.#container = container;
    this.#onChange = onChange;
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  async start(
    request: ExecRequest,
    listener: MachineProcessListener,
    { arrived = (bytes) => bytes, hasStatus = false }: OutputOptions = {},
  ): Promise<ProcessHandle> {
    assertSupported(request, hasStatus);
    if (this.#closing) throw new SandboxError('connection-lost', 'The WebContainer has stopped');
    if (this.#running.size >= webcontainerLimits.processes)
      throw new SandboxError(
        'busy',
        `Cannot start more than ${webcontainerLimits.processes} processes at once`,
      );
    const [program = '', ...args] = programFor(commandArguments(request).argv);
    const startedAtMs = performance.now();
    const process = await this.#spawn(program, { args, request });
    this.#running.add(process);
    this.#onChange();
    let killedBy: Signal;
    const output = pipeOutput(process.output, {
      isTerminal: request.pty !== undefined,
      onBytes: async (bytes) => listener({ type: 'stdout', bytes: arrived(bytes) }),
      onRefused: () => process.kill(),
    });
    void process.exit
      .then(async (exitCode) => {
        await output;
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
    const decoder = new TextDecoder();
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

  /** Ends every process for that reason, and starts no more. */
  async close(reason: ExitReason): Promise<void> {
    this.#closing ??= reason;
    const ended = [...this.#running].map((process) => process.exit);
    for (const process of this.#running) process.kill();
    await Promise.allSettled(ended);
  }

  async #spawn(
    program: string,
    { args, request }: { args: string[]; request: ExecRequest },
  ): Promise<WebContainerProcess> {
    const { cwd = '/', envs = {}, pty } = request;
    try {
      return await this.#container.spawn(program, args, {
        cwd: cwd.replace(/^\/+/, '') || '.',
        env: { ...envs },
        ...(pty ? { terminal: { cols: pty.columns, rows: pty.rows } } : {}),
      });
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new SandboxError('not-found', `Cannot start "${program}": ${message}`, { cause });
    }
  }
}

/** @throws unsupported */
function assertSupported({ pty, stdin, user }: ExecRequest, hasStatus: boolean): void {
  const lacking = hasStatus
    ? 'a status descriptor'
    : user === 'root'
      ? 'another user'
      : stdin && !pty
        ? 'standard input without a terminal'
        : undefined;
  if (lacking === undefined) return;
  throw new SandboxError('unsupported', `Cannot start the process: WebContainer has no ${lacking}`, {
    details: { feature: hasStatus ? 'status' : user === 'root' ? 'user' : 'stdin' },
  });
}

/** WebContainer's shell is `jsh`. */
function programFor(argv: readonly string[]): readonly string[] {
  const [program = '', ...args] = argv;
  if (!/^(\/bin\/|\/usr\/bin\/)?(ba)?sh$/.test(program)) return argv;
  return ['jsh', ...args.filter((argument) => argument !== '--login')];
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

import { SandboxError } from '../../../protocol/errors.ts';
import { describeRuntime } from '../../../protocol/runtime-description.ts';
import type { PtyHandle } from '../../../sdk/pty.ts';
import type { Sandbox } from '../../../sdk/sandbox.ts';
import { asRecord } from '../is-record.ts';
import { hostLimits } from '../limits.ts';
import type { HostNpm } from '../npm/host-npm.ts';
import { type ServedObject, served } from '../wire/object-server.ts';
import { RemoteFunction } from '../wire/remote-function.ts';
import { resolveInWorkdir } from './container-paths.ts';
import { Utf8Pieces } from './utf8-pieces.ts';

export interface ContainerProcessesParts {
  readonly sandbox: Sandbox;
  readonly workdir: string;
  /** `PATH` of what is spawned without another. */
  readonly path: string;
  /** Takes the place of npm where the sandbox has none. */
  readonly npm: HostNpm;
  readonly release: (listener: RemoteFunction) => void;
}

/** What a client has of a process. */
type RunningProcess = Pick<PtyHandle, 'kill' | 'resize' | 'sendInput'>;

/** The processes that a client has spawned, each in a terminal of its own. */
export class ContainerProcesses {
  readonly #parts: ContainerProcessesParts;
  readonly #running = new Set<RunningProcess>();

  constructor(parts: ContainerProcessesParts) {
    this.#parts = parts;
  }

  /**
   * Starts a program, and says what it prints to `output`, then nothing (`null`) at its end.
   * @throws not-found that names the runtime which has the program; invalid-argument, busy
   */
  async spawn(ask: unknown, output: unknown): Promise<ServedObject> {
    const { release } = this.#parts;
    const listener = output instanceof RemoteFunction ? output : undefined;
    const { size, ...request } = this.#parse(ask);
    const ended = Promise.withResolvers<number>();
    const pieces = new Utf8Pieces();
    const print = async (bytes: Uint8Array): Promise<void> => {
      // A client that has let go of its listener does not end the program.
      if (listener && bytes.length > 0) await listener.call(bytes).catch(() => undefined);
    };
    const finish = async (exitCode: number): Promise<void> => {
      await print(pieces.end());
      await listener?.call(null).catch(() => undefined);
      ended.resolve(exitCode);
      if (listener) release(listener);
    };
    let hasEnded = false;
    let handle: RunningProcess | undefined;
    const start: StartOptions = {
      onData: (bytes) => print(pieces.push(bytes)),
      onExit: (exitCode) => {
        hasEnded = true;
        if (handle) this.#running.delete(handle);
        void finish(exitCode);
      },
    };
    try {
      handle = await this.#start({ ...request, ...size }, start);
    } catch (cause) {
      if (listener) release(listener);
      throw this.#describe(cause, request.command[0] ?? '');
    }
    if (!hasEnded) this.#running.add(handle);
    return processObject(handle, ended.promise);
  }

  /** Ends all that runs; who waits for its end is told by the sandbox's. */
  close(): void {
    for (const handle of this.#running) void handle.kill().catch(() => undefined);
    this.#running.clear();
  }

  async #start(request: StartRequest, { onData, onExit }: StartOptions): Promise<RunningProcess> {
    const { sandbox, npm } = this.#parts;
    const create = (changed: Partial<StartRequest>) =>
      sandbox.pty.create({
        ...request,
        ...changed,
        onData,
        onExit: ({ exitCode }) => onExit(exitCode),
      });
    try {
      return await create({});
    } catch (cause) {
      if (SandboxError.from(cause).code !== 'not-found') throw cause;
      const plan = await npm.plan({ argv: request.command, cwd: request.cwd, envs: request.envs });
      if (plan === undefined) throw cause;
      if (plan.type === 'work') return startWork(plan.run, { onData, onExit });
      // A bridge refuses to start what says more than a process needs.
      const { type: _, ...changed } = plan;
      return create(changed);
    }
  }

  #parse(ask: unknown): SpawnRequest {
    const { command, args = [], cwd, env, terminal } = asRecord(ask);
    if (typeof command !== 'string' || command === '' || !isTexts(args))
      throw new SandboxError('invalid-argument', 'Cannot spawn: the command or its arguments are no text');
    const { workdir, path } = this.#parts;
    const envs: Record<string, string> = { PATH: path };
    for (const [name, value] of Object.entries(asRecord(env ?? {}))) {
      if (['string', 'number', 'boolean'].includes(typeof value)) envs[name] = String(value);
    }
    return {
      command: programFor([command, ...args]),
      cwd: cwd === undefined ? workdir : resolveInWorkdir(workdir, cwd, 'spawn'),
      envs,
      size: terminalSize(terminal),
    };
  }

  #describe(cause: unknown, program: string): SandboxError {
    const error = SandboxError.from(cause);
    if (error.code !== 'not-found') return error;
    const { runtime } = this.#parts.sandbox.info;
    const remedy =
      describeRuntime(runtime)?.image === false
        ? 'the shell has built-in programs only; boot with runtime=v86 for a machine with an image, or name a bridge'
        : 'the image has no such program, or the directory is not there; name an image that has it, or install it there';
    const message = `Cannot spawn "${program}": ${remedy}`;
    return new SandboxError('not-found', message, { details: { program, runtime }, cause });
  }
}

interface SpawnRequest {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly envs: Readonly<Record<string, string>>;
  readonly size: { readonly columns: number; readonly rows: number };
}

type StartRequest = Omit<SpawnRequest, 'size'> & SpawnRequest['size'];

interface StartOptions {
  readonly onData: (bytes: Uint8Array) => Promise<void>;
  readonly onExit: (exitCode: number) => void;
}

/** Work of this page in the place of a process: lines end as in a terminal, which it has none of. */
function startWork(run: HostWork, { onData, onExit }: StartOptions): RunningProcess {
  const stopping = new AbortController();
  const encoder = new TextEncoder();
  let printed = Promise.resolve();
  const print = (text: string): void => {
    const bytes = encoder.encode(text.replaceAll('\n', '\r\n'));
    printed = printed.then(() => onData(bytes));
  };
  void run(print, stopping.signal)
    .catch(() => 1) // It prints why it fails.
    .then(async (exitCode) => {
      await printed;
      onExit(exitCode);
    });
  return {
    kill: async () => stopping.abort(),
    resize: async () => undefined,
    sendInput: async (bytes) => {
      if (bytes.includes(interruptByte)) stopping.abort();
    },
  };
}

type HostWork = Extract<Awaited<ReturnType<HostNpm['plan']>>, { type: 'work' }>['run'];

/** Control-C. */
const interruptByte = 3;

/** `jsh` is WebContainer's shell; here bash takes its place. */
function programFor(argv: readonly string[]): readonly string[] {
  const [program, ...args] = argv;
  if (program !== 'jsh') return argv;
  return args.length === 0 ? ['/bin/bash', '-i'] : ['/bin/bash', ...args];
}

function processObject(handle: RunningProcess, exit: Promise<number>): ServedObject {
  const encoder = new TextEncoder();
  let written = Promise.resolve();
  const write = (data: unknown): Promise<void> => {
    const bytes = typeof data === 'string' ? encoder.encode(data) : data;
    if (!(bytes instanceof Uint8Array))
      throw new SandboxError('invalid-argument', 'Cannot write: it is no text');
    const next = written.then(() => handle.sendInput(bytes));
    written = next.catch(() => undefined); // The client is told by its own call.
    return next;
  };
  return served({
    methods: {
      kill: () => handle.kill(),
      resize: (size) => handle.resize(terminalSize(size)),
      write,
    },
    values: { onExit: () => exit },
  });
}

function terminalSize(size: unknown): { columns: number; rows: number } {
  const { cols, rows } = asRecord(size ?? {});
  return { columns: cells(cols, 80), rows: cells(rows, 24) };
}

function cells(value: unknown, usual: number): number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0
    ? Math.min(value, hostLimits.terminalCells)
    : usual;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

import { SandboxError } from '../../../protocol/errors.ts';
import type { PtyHandle } from '../../../sdk/pty.ts';
import type { Sandbox } from '../../../sdk/sandbox.ts';
import { asRecord } from '../is-record.ts';
import { hostLimits } from '../limits.ts';
import { type ServedObject, served } from '../wire/object-server.ts';
import { RemoteFunction } from '../wire/remote-function.ts';
import { resolveInWorkdir } from './container-paths.ts';
import { Utf8Pieces } from './utf8-pieces.ts';

export interface ContainerProcessesParts {
  readonly sandbox: Sandbox;
  readonly workdir: string;
  /** `PATH` of what is spawned without another. */
  readonly path: string;
  readonly release: (listener: RemoteFunction) => void;
}

/** The processes that a client has spawned, each in a terminal of its own. */
export class ContainerProcesses {
  readonly #parts: ContainerProcessesParts;
  readonly #running = new Set<PtyHandle>();

  constructor(parts: ContainerProcessesParts) {
    this.#parts = parts;
  }

  /**
   * Starts a program, and says what it prints to `output`, then nothing (`null`) at its end.
   * @throws not-found that names the runtime which has the program; invalid-argument, busy
   */
  async spawn(ask: unknown, output: unknown): Promise<ServedObject> {
    const { sandbox, release } = this.#parts;
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
    let handle: PtyHandle | undefined;
    try {
      handle = await sandbox.pty.create({
        ...{ ...request, ...size },
        onData: (bytes) => print(pieces.push(bytes)),
        onExit: ({ exitCode }) => {
          hasEnded = true;
          if (handle) this.#running.delete(handle);
          void finish(exitCode);
        },
      });
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
      runtime === 'shell'
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

/** `jsh` is WebContainer's shell; here bash takes its place. */
function programFor(argv: readonly string[]): readonly string[] {
  const [program, ...args] = argv;
  if (program !== 'jsh') return argv;
  return args.length === 0 ? ['/bin/bash', '-i'] : ['/bin/bash', ...args];
}

function processObject(handle: PtyHandle, exit: Promise<number>): ServedObject {
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

import { SandboxError } from '../../protocol/errors.ts';
import { OutputBuffer } from '../../protocol/output-buffer.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import type {
  CommandLimits,
  ExecRequest,
  ExitStatus,
  ProcessesFacet,
} from '../../protocol/sandbox/processes.ts';
import type { CommandResult, OperationState } from './command-operations.ts';
import { errorBody } from './error-body.ts';
import { outputDecoder } from './output-decoder.ts';
import { type CommandRun, runCommand } from './run-command.ts';
import type { Service } from './service.ts';
import { SseStream } from './sse-stream.ts';

/** What a client asks to be run. */
interface CommandBody {
  readonly command: string | readonly string[];
  readonly cwd?: string | undefined;
  readonly envs?: Readonly<Record<string, string>> | undefined;
  readonly user?: 'user' | 'root' | undefined;
  readonly limits?: { readonly [Name in keyof CommandLimits]?: number | undefined } | undefined;
  readonly stdin?: string | undefined;
  readonly timeoutMs: number;
  readonly encoding: 'utf8' | 'base64';
  readonly stream: boolean;
  readonly onDisconnect: 'end' | 'keep';
}

export interface CommandAsk {
  readonly id: string;
  readonly body: CommandBody;
  /** Where it runs: a process of its own where this is absent. */
  readonly processes?: (connection: SandboxConnection) => ProcessesFacet;
}

/** A command that a client tells of, or asks about. */
export type ToldOperation = Omit<OperationState<CommandResult>, 'result' | 'error'> & {
  readonly result?: CommandResult;
  readonly error?: ReturnType<typeof errorBody>['error'];
};

export interface Target extends CommandAsk {
  readonly signal: AbortSignal;
}

/** As a client is told of it. */
export function describeOperation({ error, result, ...state }: OperationState<CommandResult>): ToldOperation {
  return {
    ...state,
    ...(result ? { result } : {}),
    ...(error ? { error: errorBody(error).error } : {}),
  };
}

export async function runToEnd(
  service: Service,
  { id, signal, body, processes }: Target,
): Promise<CommandResult> {
  using lease = await service.sandboxes.borrow(id, { signal });
  using _running = counted(service);
  const output = { stdout: new OutputBuffer(), stderr: new OutputBuffer() };
  const status = await runSettled(lease.connection, processes, {
    ...runOptions(body),
    signal,
    onOutput: (stream, bytes) => {
      service.metrics.moved('out', { type: 'command', bytes: bytes.length });
      output[stream].push(bytes);
    },
  });
  return {
    ...describeEnd(status),
    stdout: Buffer.from(output.stdout.bytes().buffer).toString(body.encoding),
    stderr: Buffer.from(output.stderr.bytes().buffer).toString(body.encoding),
    droppedBytes: output.stdout.droppedBytes + output.stderr.droppedBytes,
  };
}

/** Resolves once the sandbox is there, so that its absence still has a status of its own. */
export async function streamCommand(
  service: Service,
  { id, signal, body, processes }: Target,
): Promise<SseStream> {
  const lease = await service.sandboxes.borrow(id, { signal });
  const giveUp = new AbortController();
  const isKept = body.onDisconnect === 'keep';
  let isGone = false;
  const stream = new SseStream(() => {
    isGone = true;
    if (!isKept) giveUp.abort();
  });
  const decoders = { stdout: outputDecoder(body.encoding), stderr: outputDecoder(body.encoding) };
  const tell = async (event: string, data: unknown) => {
    if (isGone && isKept) return;
    const sent = stream.send({ event, data });
    // What goes on without its client says nothing to anybody.
    await (isKept ? sent.catch(() => undefined) : sent);
  };
  const follow = async () => {
    using _lease = lease;
    using _running = counted(service);
    try {
      const status = await runSettled(lease.connection, processes, {
        ...runOptions(body),
        signal: giveUp.signal,
        onStart: (pid) => void tell('start', { pid }).catch(() => {}),
        onOutput: (name, bytes) => {
          service.metrics.moved('out', { type: 'command', bytes: bytes.length });
          const text = decoders[name](bytes);
          return text === '' ? undefined : tell(name, { text });
        },
      });
      for (const name of ['stdout', 'stderr'] as const) {
        const text = decoders[name]();
        if (text !== '') await tell(name, { text });
      }
      await tell('exit', describeEnd(status));
    } catch (error) {
      await tell('error', errorBody(SandboxError.from(error)));
    } finally {
      stream.end();
    }
  };
  follow().catch(() => {}); // The client is gone, so nobody is left to be told.
  return stream;
}

/** Runs it to its end: HEAD, when it is asked for next, has what it has changed. */
async function runSettled(
  connection: SandboxConnection,
  processes: CommandAsk['processes'],
  run: CommandRun,
): Promise<ExitStatus> {
  const status = await runCommand(processes?.(connection) ?? connection.processes, run);
  await connection.history.settle();
  return status;
}

function runOptions(body: CommandBody): {
  request: ExecRequest;
  stdin: Uint8Array | undefined;
  timeoutMs: number;
} {
  const { command, cwd, envs, user, limits, stdin, timeoutMs } = body;
  const request = {
    command,
    ...(cwd === undefined ? {} : { cwd }),
    ...(envs === undefined ? {} : { envs }),
    ...(user === undefined ? {} : { user }),
    ...(limits === undefined ? {} : { limits: definedOf(limits) }),
  };
  return { request, stdin: stdin === undefined ? undefined : Buffer.from(stdin), timeoutMs };
}

function definedOf(given: NonNullable<CommandBody['limits']>): CommandLimits {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function describeEnd({
  files,
  unsaved,
  missing,
  ...status
}: ExitStatus): Omit<CommandResult, 'stdout' | 'stderr' | 'droppedBytes'> {
  const { created, modified, deleted } = files;
  return {
    ...status,
    ...(missing ? { missing: [...missing] } : {}),
    files: { created: [...created], modified: [...modified], deleted: [...deleted] },
    ...(unsaved ? { unsaved: errorBody(SandboxError.from(unsaved)).error } : {}),
  };
}

function counted({ metrics }: Service): Disposable {
  return { [Symbol.dispose]: metrics.commandStarted() };
}

import { extname, join } from 'node:path';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import { openWire, type WireBackend } from '../../../protocol/wire/client/open-wire.ts';
import type { Transport } from '../../../protocol/wire/transports/transport.ts';
import type { SandboxRecords } from '../../../sandbox/backend/sandbox-records.ts';
import type { Program, ProgramEnd } from '../../programs/program.ts';
import { startProgram } from '../../programs/start-program.ts';
import { type FromShell, readMessage, recordsFor, sendMessage } from './host-messages.ts';
import { type ShellSettings, shellDescriptors } from './shell-settings.ts';
import { streamTransport } from './stream-transport.ts';
import { watchMemory } from './watch-memory.ts';

export interface ShellProcessOptions {
  readonly settings: ShellSettings;
  readonly records: SandboxRecords;
  /** Of the interpreter, with what its scripts hold and files that no snapshot has. */
  readonly memoryMiB: number;
}

/** A process that runs one sandbox of runtime `shell`. Disposing of it kills the process. */
export interface ShellProcess extends AsyncDisposable {
  readonly backend: WireBackend;
  /** Resolves with why, when it has ended. */
  readonly ended: Promise<SandboxError>;
  readonly hasEnded: boolean;
}

/** In the package it is a bundle beside that of this module. */
const entry = join(import.meta.dirname, `serve-shell${extname(import.meta.filename)}`);
/** A crash leaves no core, and what V8 does not count is bounded by the kernel as well. */
const limited = 'ulimit -c 0; ulimit -d "$1"; shift; exec "$@"';

/** Starts the process, and resolves once it serves. @throws machine-failed, timeout */
export async function startShellProcess(options: ShellProcessOptions): Promise<ShellProcess> {
  const { settings, memoryMiB, records } = options;
  const program = startProgram(commandOf(settings, memoryMiB), {
    descriptors: Object.values(shellDescriptors),
    env: { NODE_COMPILE_CACHE: settings.compiled },
  });
  const [errors, wire, host] = program.sockets;
  if (!errors || !wire || !host) throw new Error('A program was started without its sockets');
  let why: string | undefined;
  let complaint = '';
  errors.on('data', (bytes: Buffer) => {
    complaint = (complaint + bytes.toString('latin1')).slice(-limits.shellComplaintBytes);
  });
  errors.on('error', () => undefined);
  const end = (reason: string): void => {
    why ??= reason;
    program.kill('SIGKILL');
  };
  const questions = answerQuestions(streamTransport(host), { records, onSilent: end });
  const stopWatching = [
    watchMemory(program.pid, { mostMiB: memoryMiB, onExceeded: () => end(outOfMemory(memoryMiB)) }),
    questions.stop,
  ];
  let hasEnded = false;
  const ended = program.ended.then((how) => {
    hasEnded = true;
    for (const stop of stopWatching) stop();
    for (const socket of program.sockets) socket.destroy();
    return failure(why ?? reasonOf(how, { complaint, memoryMiB }));
  });
  const dispose = async (): Promise<void> => {
    end('it was closed');
    await ended;
  };
  try {
    const backend = await connect(wire, { program, ended, ready: questions.ready });
    return {
      backend,
      ended,
      get hasEnded() {
        return hasEnded;
      },
      [Symbol.asyncDispose]: dispose,
    };
  } catch (cause) {
    await dispose();
    throw cause;
  }
}

/** The session with it. It tells calls that are lost why the process has ended. @throws machine-failed, timeout */
async function connect(
  socket: Parameters<typeof streamTransport>[0],
  {
    program,
    ended,
    ready,
  }: { readonly program: Program; readonly ended: Promise<SandboxError>; readonly ready: Promise<void> },
): Promise<WireBackend> {
  const transport = streamTransport(socket);
  const timer = setTimeout(() => program.kill('SIGKILL'), limits.shellStartTimeoutMs);
  const explained: Transport = {
    send: (message) => transport.send(message),
    receive: () => {},
    closed: () => {},
    abort: (reason) => transport.abort(reason),
  };
  transport.receive = (message) => explained.receive(message);
  transport.closed = () => void ended.then(({ message }) => explained.closed(message));
  try {
    return await Promise.race([
      ready.then(() => openWire(async () => explained)),
      ended.then((error) => {
        throw error;
      }),
    ]);
  } finally {
    clearTimeout(timer);
  }
}

function commandOf(settings: ShellSettings, memoryMiB: number): readonly [string, ...string[]] {
  const dataKiB = (memoryMiB + limits.shellReservedMiB) * 1024;
  return [
    '/bin/sh',
    ...['-c', limited, 'sh', String(dataKiB), process.execPath],
    ...[
      '--no-warnings',
      `--max-old-space-size=${memoryMiB + limits.shellOwnMiB}`,
      entry,
      JSON.stringify(settings),
    ],
  ];
}

/** Answers what it asks, and asks it whether it still answers. `ready` resolves when it serves, which it says first. */
function answerQuestions(
  transport: Transport,
  { records, onSilent }: { readonly records: SandboxRecords; readonly onSilent: (why: string) => void },
): { readonly ready: Promise<void>; readonly stop: () => void } {
  const { promise: ready, resolve: onReady } = Promise.withResolvers<void>();
  const answer = recordsFor(records);
  // Counted, not timed: a bridge that was held up itself has asked nothing meanwhile.
  let unanswered = 0;
  let underWay = 0;
  const pings = setInterval(() => {
    if (++unanswered > limits.shellAnswerMs / limits.shellPingMs) onSilent(silence);
    else sendMessage(transport, { ping: 0 });
  }, limits.shellPingMs).unref();
  transport.receive = (bytes) => {
    unanswered = 0;
    onReady();
    if (underWay >= limits.shellQuestions) return onSilent('it asked its bridge too much at once');
    void (async () => {
      const message = readMessage<FromShell>(bytes);
      if ('pong' in message) return;
      const { id } = message;
      underWay++;
      try {
        const record = await answer(message);
        sendMessage(transport, record ? { id, record } : { id });
      } catch (cause) {
        sendMessage(transport, { id, error: SandboxError.from(cause).toData() });
      } finally {
        underWay--;
      }
    })().catch(() => onSilent('it sent its bridge what cannot be'));
  };
  return { ready, stop: () => clearInterval(pings) };
}

const silence = `a program held it for more than ${limits.shellAnswerMs / 1000} s without letting it answer`;

function outOfMemory(memoryMiB: number): string {
  return `it was out of memory, of which it has ${memoryMiB} MiB; files that no snapshot has count as well`;
}

function reasonOf(
  { signal, code, failure: never }: ProgramEnd,
  { complaint, memoryMiB }: { readonly complaint: string; readonly memoryMiB: number },
): string {
  if (/out of memory|Allocation failed/.test(complaint)) return outOfMemory(memoryMiB);
  if (complaint !== '') console.warn('The process of a shell has ended:', complaint);
  return never ?? `its process ended with ${signal ?? code}`;
}

function failure(why: string): SandboxError {
  return new SandboxError('machine-failed', `The shell stopped: ${why}`, {
    details: { remedy: 'Open the sandbox again: it goes on from its last snapshot.' },
  });
}

import type { ExitStatus, ProcessEvent, ProcessHandle, ProcessListener } from '../../sandbox/processes.ts';
import { exitStatus, processStarted } from '../../sandbox/processes-table.ts';
import { violation } from '../frames/frame.ts';
import type { WireRequest } from '../requests.ts';
import type { ClientSession } from './client-session.ts';
import { IncomingStream, type StreamMessage } from './incoming-stream.ts';
import { RemoteInput } from './remote-input.ts';

/** A process whose connection is lost ends, as one does whose machine stops: nobody else would say so. */
const lostExit: ExitStatus = {
  exitCode: -1,
  signal: undefined,
  reason: 'machine-failed',
  durationMs: 0,
  cpuMs: 0,
  maxRssBytes: 0,
  files: { created: [], modified: [], deleted: [] },
};

/** Starts a process behind `session`; who cannot take its output has given it up, and it is killed (H-8). */
export async function execRemote(
  session: ClientSession,
  options: { readonly request: WireRequest; readonly listener: ProcessListener },
): Promise<ProcessHandle> {
  const { request, listener } = options;
  let hasFailed = false;
  const started = Promise.withResolvers<ProcessHandle>();
  started.promise.catch(() => undefined);
  const stream = new IncomingStream<ProcessEvent>({
    decode: processEvent,
    // What it prints after that is nobody's; its exit is still told.
    listener: (event) => (hasFailed && event.type !== 'exit' ? undefined : listener(event)),
    onFailure: () => {
      if (hasFailed) return;
      hasFailed = true;
      started.promise.then((process) => process.kill()).catch(() => undefined);
    },
  });
  try {
    const { id, json } = await session.call(request, { stream });
    const { pid } = session.check(json, { schema: processStarted, what: 'a process' });
    const process = new RemoteProcess(session, { id, pid });
    started.resolve(process);
    return process;
  } catch (error) {
    started.reject(error);
    throw error;
  }
}

class RemoteProcess implements ProcessHandle {
  readonly pid: number;
  readonly #id: number;
  readonly #session: ClientSession;
  readonly #input: RemoteInput;

  constructor(session: ClientSession, { id, pid }: { id: number; pid: number }) {
    this.#session = session;
    this.#id = id;
    this.pid = pid;
    this.#input = new RemoteInput(session, {
      write: { method: 'process.write', on: id },
      end: { method: 'process.closeStdin', on: id },
    });
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#input.write(bytes);
  }

  closeStdin(): Promise<void> {
    return this.#input.end();
  }

  async resize({ columns, rows }: { columns: number; rows: number }): Promise<void> {
    await this.#session.call({ method: 'process.resize', on: this.#id, columns, rows });
  }

  async kill(signal?: Parameters<ProcessHandle['kill']>[0]): Promise<void> {
    const request = { method: 'process.kill', on: this.#id } as const;
    await this.#session.call(signal === undefined ? request : { ...request, signal }, { isRelease: true });
  }
}

function processEvent(message: StreamMessage): ProcessEvent {
  switch (message.type) {
    case 'stdout':
    case 'stderr':
      return message;
    case 'end':
      return { type: 'exit', ...exitStatus(message.json, 'the exit of a process') };
    case 'fail':
      return { type: 'exit', ...lostExit };
    default:
      throw violation('an item on the stream of a process');
  }
}

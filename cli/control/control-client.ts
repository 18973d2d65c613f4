import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { isObject } from '../../protocol/schema.ts';
import { LineReader } from './line-reader.ts';
import { controlSocketName, toLine } from './messages.ts';
import { socketPath } from './socket-path.ts';

/** What nobody listens behind: no socket, one that a dead process left, or no folder. */
const nobody = ['ENOENT', 'ECONNREFUSED', 'ENOTDIR'];

/** Connects to whoever serves a folder; `undefined` where nobody does. @throws forbidden; connection-lost */
export async function connectControl(folder: string): Promise<Socket | undefined> {
  try {
    using at = socketPath(folder, controlSocketName);
    const socket = connect(at.path);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    socket.on('error', ignore); // It is closed after one.
    return socket;
  } catch (cause) {
    if (cause instanceof SandboxError) throw cause;
    const { code = '', message } = cause as NodeJS.ErrnoException;
    if (nobody.includes(code)) return undefined;
    const path = join(folder, controlSocketName);
    if (code === 'EACCES' || code === 'EPERM') {
      throw new SandboxError('forbidden', `Cannot open ${path}: only the user whose folder it is may`, {
        cause,
      });
    }
    throw new SandboxError('connection-lost', `Cannot open ${path}: ${message}`, { cause });
  }
}

/** What is asked of whoever serves a folder. */
export interface ControlAsk {
  readonly op: string;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly onEvent?: (event: Readonly<Record<string, unknown>>) => void;
  /** Cancels the request; its answer still comes. */
  readonly signal?: AbortSignal;
}

/**
 * Asks one thing and resolves to its result. The socket stays open, paused, and belongs to the caller.
 * @throws what the operation fails with; connection-lost
 */
export async function askControl(
  socket: Socket,
  { op, fields, onEvent, signal }: ControlAsk,
): Promise<unknown> {
  const answered = Promise.withResolvers<unknown>();
  const reader = new LineReader(limits.controlAnswerBytes);
  const onData = (bytes: Buffer): void => {
    try {
      reader.push(bytes);
      for (let line = reader.next(); line !== undefined; line = reader.next()) {
        const message = parseAnswer(line);
        if (message.id !== undefined && message.id !== requestId) continue;
        if (isObject(message.event)) onEvent?.(message.event);
        else if (message.ok === true) answered.resolve(message.result);
        else answered.reject(SandboxError.from(message.error));
        // What comes after belongs to whoever reads on.
        if (message.ok !== undefined) {
          giveBack(socket, reader, onData);
          return;
        }
      }
    } catch (error) {
      answered.reject(error);
    }
  };
  const onClose = () =>
    answered.reject(new SandboxError('connection-lost', 'Whoever serves the folder has gone'));
  const onAbort = () => socket.write(toLine({ id: cancelId, op: 'cancel', request: requestId }));
  socket.on('data', onData);
  socket.on('close', onClose);
  signal?.addEventListener('abort', onAbort);
  try {
    // One that is closed already tells nobody.
    if (socket.destroyed) onClose();
    // It is paused after an answer.
    socket.resume();
    socket.write(toLine({ ...fields, id: requestId, op }));
    if (signal?.aborted) onAbort();
    return await answered.promise;
  } finally {
    socket.off('data', onData);
    socket.off('close', onClose);
    signal?.removeEventListener('abort', onAbort);
  }
}

const requestId = 1;
const cancelId = 2;

function ignore(): void {}

function giveBack(socket: Socket, reader: LineReader, onData: (bytes: Buffer) => void): void {
  socket.off('data', onData);
  socket.pause();
  const rest = reader.takeRest();
  if (rest.length > 0) socket.unshift(rest);
}

function parseAnswer(line: string): Readonly<Record<string, unknown>> {
  const message: unknown = JSON.parse(line);
  if (isObject(message)) return message;
  throw new SandboxError('protocol-violation', 'Whoever serves the folder answers what is no answer');
}

import type { RawData, WebSocket } from 'ws';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { errorBody } from './error-body.ts';

/** What a message without bytes costs of the room for those that wait. */
const messageCost = 64;

/** A message of a client: bytes, or the text of a word to the bridge. */
export interface SocketMessage {
  readonly bytes: Uint8Array;
  readonly isBinary: boolean;
}

/** Hands messages on in the order in which they came, and lets no more come than is being handed on. */
export function handMessagesOn(socket: WebSocket, take: (message: SocketMessage) => Promise<void>): void {
  let waiting = 0;
  let turn: Promise<void> = Promise.resolve();
  socket.on('message', (data, isBinary) => {
    const bytes = toBytes(data);
    const cost = bytes.length + messageCost;
    waiting += cost;
    if (waiting > limits.streamWindowBytes) socket.pause();
    turn = turn
      .then(() => take({ bytes, isBinary }))
      .catch((cause: unknown) => failSocket(socket, cause))
      .finally(() => {
        waiting -= cost;
        if (waiting <= limits.streamWindowBytes) socket.resume();
      });
  });
  socket.resume();
}

/** Resolves when the bytes have gone to the network. A socket that is closed takes everything, and drops it. */
export function sendBytes(socket: WebSocket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => socket.send(bytes, { binary: true }, () => resolve()));
}

/** Says something about what the bytes are of. */
export function tellClient(socket: WebSocket, message: Record<string, unknown>): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
}

/** Says what failed, and closes. */
export function failSocket(socket: WebSocket, cause: unknown): void {
  const error = SandboxError.from(cause);
  tellClient(socket, { type: 'error', ...errorBody(error).error });
  // 1008: the client is against the rules, or may not stay; 1011: the server failed.
  const isClients = error.code === 'protocol-violation' || error.code === 'unauthenticated';
  socket.close(isClients ? 1008 : 1011);
  socket.resume();
}

function toBytes(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}

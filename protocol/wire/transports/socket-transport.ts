import { limits } from '../../limits.ts';
import type { Transport } from './transport.ts';

/** What the browser's `WebSocket`, Node's and that of `ws` have in common. */
export interface SocketLike {
  binaryType: string;
  readonly bufferedAmount: number;
  readonly readyState: number;
  send(data: Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { code: number; reason: string }) => void): void;
  addEventListener(type: 'error', listener: () => void): void;
}

const openState = 1;
/** An application's own code (RFC 6455, 7.4.2), and the most bytes of a reason (5.5). */
const closeCode = 4000;
const closeReasonLength = 120;
/** A socket has no event for "written out"; it is asked, at first often. */
const firstLookMs = 1;
const lastLookMs = 32;

/** A transport over an open WebSocket. Text messages are none of ours and close it. */
export function socketTransport(socket: SocketLike): Transport {
  // A browser's default gives blobs, which are read asynchronously; that of `ws` saves a copy.
  if (socket.binaryType === 'blob') socket.binaryType = 'arraybuffer';
  let isOver = false;
  const transport: Transport = {
    send: (message) => {
      if (isOver || socket.readyState !== openState) return;
      socket.send(message as Uint8Array<ArrayBuffer>);
      return socket.bufferedAmount > limits.transportBufferBytes ? writtenOut(socket) : undefined;
    },
    receive: () => {},
    closed: () => {},
    abort: (reason) => {
      if (isOver) return;
      isOver = true;
      socket.close(closeCode, printable(reason));
    },
  };
  const close = (reason: string): void => {
    if (isOver) return;
    isOver = true;
    transport.closed(reason);
  };
  socket.addEventListener('message', ({ data }) => {
    if (isOver) return;
    const message = toBytes(data);
    if (message) return transport.receive(message);
    socket.close(closeCode, 'text');
    close('the peer sent text');
  });
  socket.addEventListener('close', ({ code, reason }) =>
    close(`the socket was closed (${code}${reason && `, ${printable(reason)}`})`),
  );
  // A close event follows every error and says more; without a listener, `ws` would throw.
  socket.addEventListener('error', () => {});
  return transport;
}

async function writtenOut(socket: SocketLike): Promise<void> {
  const isFull = (): boolean =>
    socket.readyState === openState && socket.bufferedAmount > limits.transportBufferBytes / 2;
  for (let delayMs = firstLookMs; isFull(); delayMs = Math.min(2 * delayMs, lastLookMs)) {
    await new Promise<void>((resolve) => setTimeout(resolve, delayMs));
  }
}

/** A plain view: `ws` gives Buffers, which compare and slice in another way. */
function toBytes(data: unknown): Uint8Array | undefined {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (data instanceof Uint8Array) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return undefined;
}

/** Close reasons are limited in bytes, so they are ASCII here. */
function printable(reason: string): string {
  return reason.replace(/[^\x20-\x7e]/g, '?').slice(0, closeReasonLength);
}

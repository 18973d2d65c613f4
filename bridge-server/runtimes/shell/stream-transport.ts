import type { Socket } from 'node:net';
import { limits } from '../../../protocol/limits.ts';
import type { Transport } from '../../../protocol/wire/transports/transport.ts';

const headerBytes = 4;
/** No message of either side is longer: those of the wire, and questions to the host, are bounded where they are made. */
const mostBytes = 4 * limits.wireMessageBytes;

/** A transport over a socket that both ends have from their start: each message after its length. It owns the socket. */
export function streamTransport(socket: Socket): Transport {
  let isOver = false;
  let waiting: Buffer = Buffer.alloc(0);
  const end = (): void => {
    isOver = true;
    socket.destroy();
  };
  const close = (reason: string): void => {
    if (isOver) return;
    end();
    transport.closed(reason);
  };
  const transport: Transport = {
    send: (message) => {
      if (isOver) return;
      const header = Buffer.alloc(headerBytes);
      header.writeUInt32LE(message.length);
      socket.write(header);
      // The peer has it later, and its sender may write over it once this returns.
      socket.write(Buffer.from(message));
      return socket.writableLength > limits.transportBufferBytes ? drained(socket) : undefined;
    },
    receive: () => {},
    closed: () => {},
    abort: () => {
      if (!isOver) end();
    },
  };
  socket.on('data', (bytes: Buffer) => {
    waiting = waiting.length === 0 ? bytes : Buffer.concat([waiting, bytes]);
    while (!isOver && waiting.length >= headerBytes) {
      const length = waiting.readUInt32LE(0);
      if (length > mostBytes) return close('the peer sent too much at once');
      if (waiting.length < headerBytes + length) return;
      const message = Uint8Array.from(waiting.subarray(headerBytes, headerBytes + length));
      waiting = waiting.subarray(headerBytes + length);
      transport.receive(message);
    }
  });
  socket.on('error', () => undefined); // Its close follows.
  socket.on('close', () => close('the process at the other end has ended'));
  return transport;
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done);
      socket.off('close', done);
      resolve();
    };
    socket.on('drain', done);
    socket.on('close', done);
    if (socket.destroyed) done();
  });
}

import type { Socket } from 'node:net';
import { SandboxError } from '../../../protocol/errors.ts';
import type { ByteChannel } from '../../../protocol/init/byte-channel.ts';

/** A channel over a socket pair. The socket stays its owner's. */
export function socketChannel(socket: Socket): ByteChannel {
  const channel: ByteChannel = {
    send: (bytes) =>
      new Promise((resolve, reject) => {
        socket.write(bytes, (cause) => {
          if (!cause) resolve();
          else
            reject(new SandboxError('connection-lost', 'Cannot reach init: the jail has ended', { cause }));
        });
      }),
    receive: () => undefined,
  };
  socket.on('data', (bytes: Buffer) => channel.receive(bytes));
  // A jail that ends with bytes under way resets its socket; `send` rejects, and `ended` tells why.
  socket.on('error', () => undefined);
  return channel;
}

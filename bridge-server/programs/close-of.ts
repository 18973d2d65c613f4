import type { Socket } from 'node:net';

/** Resolves when nothing more comes from a socket that nobody else reads, whatever went wrong on it. */
export function closeOf(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve()).resume();
  });
}

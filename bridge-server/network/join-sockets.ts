import type { Socket } from 'node:net';
import { limits } from '../../protocol/limits.ts';

/**
 * Carries what either of two sockets gets to the other until both directions have ended, each by itself; where
 * one breaks, or nothing is carried for long, both do. Both are half-open ones, and this function's from now on.
 * Resolves when both are closed, to why they broke, if they did.
 */
export async function joinSockets(inside: Socket, outside: Socket): Promise<string | undefined> {
  let why: string | undefined;
  const breakBoth = (reason: string): void => {
    why ??= reason;
    inside.destroy();
    // What has been sent is not to be taken for all that there was. One that has been shut down is not reset any more.
    if (outside.writableEnded) outside.destroy();
    else outside.resetAndDestroy();
  };
  const closed = [inside, outside].map(
    (socket) =>
      new Promise<void>((resolve) => {
        socket.once('error', ({ code }: NodeJS.ErrnoException) => breakBoth(code ?? 'it broke'));
        socket.once('end', () => inside.setTimeout(limits.networkHalfOpenIdleMs));
        socket.once('close', () => {
          if (!socket.readableEnded || !socket.writableFinished) breakBoth('it was closed');
          resolve();
        });
      }),
  );
  // Who has closed it altogether looks like who has said all. Nothing can be sent to the first, also nothing itself.
  inside.once('end', () => {
    if (!inside.writableEnded) inside.write('');
  });
  // All that is carried goes through it.
  inside.setTimeout(limits.networkIdleMs, () => breakBoth('nothing was sent for too long'));
  inside.pipe(outside);
  outside.pipe(inside);
  await Promise.all(closed);
  return why;
}

import { connect, type Socket } from 'node:net';
import { limits } from '../../protocol/limits.ts';

/**
 * A connection to an address of IPv4 of which each direction ends by itself, or why there is none. Given up when
 * `inside`, for which it is, closes.
 */
export async function connectOutside(
  { address, port }: { readonly address: string; readonly port: number },
  inside: Socket,
): Promise<Socket | string> {
  const socket = connect({ host: address, port, allowHalfOpen: true, noDelay: true, keepAlive: true });
  const { promise, resolve } = Promise.withResolvers<Socket | string>();
  const onClose = (): void => resolve('the sandbox gave it up');
  const timer = setTimeout(() => resolve('it takes too long'), limits.networkConnectTimeoutMs);
  const onError = ({ code = 'it broke' }: NodeJS.ErrnoException): void => resolve(code);
  socket.once('connect', () => resolve(socket)).on('error', onError);
  inside.once('close', onClose);
  if (inside.destroyed) onClose();
  const result = await promise;
  clearTimeout(timer);
  inside.off('close', onClose);
  if (typeof result === 'string') socket.destroy();
  return result;
}

import type { CloseOptions } from '../../sandbox/connection.ts';
import type { ClientSession } from './client-session.ts';

/** Closes what has the id `id` at the server, and what was made through it. */
export async function release(
  session: ClientSession,
  id: number,
  { discard = false }: CloseOptions = {},
): Promise<void> {
  // An older server knows no such field, and closes all the same.
  await session.call({ method: 'close', on: id, ...(discard ? { discard } : {}) }, { isRelease: true });
}

import type { ClientSession } from './client-session.ts';

/** Closes what has the id `id` at the server, and what was made through it. */
export async function release(session: ClientSession, id: number): Promise<void> {
  await session.call({ method: 'close', on: id }, { isRelease: true });
}

import { once } from 'node:events';
import { constants, open } from 'node:fs/promises';
import { createConnection, type Socket } from 'node:net';
import { SandboxError } from '../../../protocol/errors.ts';

/**
 * A connection to the unix socket `name` in a folder whose path may be longer than the 107 bytes that
 * such an address has room for. @throws machine-failed when nobody listens there
 */
export async function connectIn(folder: string, name: string): Promise<Socket> {
  try {
    await using handle = await open(
      folder,
      constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW,
    );
    const socket = createConnection({ path: `/proc/self/fd/${handle.fd}/${name}` });
    await once(socket, 'connect');
    // What goes wrong from now on is told by its end.
    socket.on('error', () => undefined);
    return socket;
  } catch (cause) {
    throw new SandboxError('machine-failed', `Nobody listens at the jail's socket "${name}"`, { cause });
  }
}

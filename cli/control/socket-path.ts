import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';

/** Of a socket's address: `sun_path` has 108 bytes with its NUL (unix(7)), 104 on other systems. */
const mostBytes = 100;

/** A path by which a socket can be opened. Disposing of it lets go of what makes it shorter. */
export interface SocketPath extends Disposable {
  readonly path: string;
}

/**
 * The path of a socket in `folder`; where it is too long for an address, one through a descriptor of the folder.
 * @throws invalid-argument where only Linux could shorten it; what `open` fails with where there is no such folder
 */
export function socketPath(folder: string, name: string): SocketPath {
  const path = join(folder, name);
  if (Buffer.byteLength(path) <= mostBytes) return { path, [Symbol.dispose]: () => {} };
  if (process.platform !== 'linux') {
    throw new SandboxError('invalid-argument', `Cannot serve ${folder}: the path is too long for a socket`);
  }
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  let isOpen = true;
  return {
    path: `/proc/self/fd/${descriptor}/${name}`,
    [Symbol.dispose]: () => {
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  };
}

import { encodeText } from '../../text.ts';
import type { Program } from '../program.ts';

/** A program that is asked for often and cannot be here: it says why. */
function unsupported(reason: string): Program {
  return async (call) => {
    await call.stderr.write(encodeText(`${call.name}: ${reason}\n`), call.signal);
    return 1;
  };
}

const noNetwork = 'not supported: the sandbox has no network';
const notYet = 'not supported by this runtime yet';

export const unsupportedPrograms: Readonly<Record<string, Program>> = {
  curl: unsupported(noNetwork),
  wget: unsupported(noNetwork),
  ssh: unsupported(noNetwork),
  ping: unsupported(noNetwork),
  mkfifo: unsupported('named pipes are not supported'),
  mknod: unsupported('special files are not supported'),
  python3: unsupported(notYet),
  python: unsupported(notYet),
  sqlite3: unsupported(notYet),
  node: unsupported(notYet),
  git: unsupported(notYet),
};

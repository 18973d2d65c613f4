import { programEnvironment } from '../interpret/command-lookup.ts';
import { exportedSource } from '../interpret/command-text.ts';
import type { Shell } from '../interpret/shell.ts';
import { encodeText } from '../text.ts';

/**
 * What `/proc/PID/environ` has of a shell at a terminal, NUL-terminated: what it exports now, where Linux tells what a program
 * began with, and all of its functions, as bash exports them. By that another shell goes on from where it is
 * (sdk/shell-context.ts).
 */
export function liveEnvironment(shell: Shell): Uint8Array {
  const environment = programEnvironment(shell, '');
  environment.set('PWD', shell.cwd);
  for (const called of shell.functions.values())
    environment.set(`BASH_FUNC_${called.name}%%`, exportedSource(called));
  return encodeText([...environment].map(([name, value]) => `${name}=${value}\0`).join(''));
}

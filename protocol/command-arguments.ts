import { SandboxError } from './errors.ts';
import { limits } from './limits.ts';
import type { ExecRequest } from './sandbox/processes.ts';

/**
 * The arguments and environment that a request's program gets.
 * @throws invalid-argument, limit-exceeded past `limits.execArgumentBytes`
 */
export function commandArguments({ command, envs = {} }: ExecRequest): {
  readonly argv: readonly string[];
  readonly env: readonly string[];
} {
  const argv = typeof command === 'string' ? ['/bin/bash', '-c', command] : command;
  const env = Object.entries(envs).map(([name, value]) => `${name}=${value}`);
  const size = [...argv, ...env].reduce((sum, text) => sum + text.length, 0);
  if (argv.length === 0) throw new SandboxError('invalid-argument', 'Cannot run an empty command');
  if (size > limits.execArgumentBytes) {
    throw new SandboxError(
      'limit-exceeded',
      `Cannot pass more than ${limits.execArgumentBytes} bytes of arguments`,
    );
  }
  return { argv, env };
}

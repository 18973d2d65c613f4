import { SandboxError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { ExecRequest } from '../sandbox.ts';
import type { ExecFrame } from './host-frames.ts';

/** The EXEC frame for a request. @throws invalid-argument, limit-exceeded past `limits.execArgumentBytes` */
export function execFrame(id: number, request: ExecRequest): ExecFrame {
  const { command, cwd = '', envs = {}, user, pty, stdin = false } = request;
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
  return {
    type: 'exec',
    id,
    pty: pty !== undefined,
    stdin: stdin || pty !== undefined,
    root: user === 'root',
    columns: pty?.columns ?? 0,
    rows: pty?.rows ?? 0,
    windowBytes: limits.streamWindowBytes,
    cwd,
    argv,
    env,
  };
}

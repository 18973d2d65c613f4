import { commandArguments } from '../command-arguments.ts';
import { limits } from '../limits.ts';
import { noCommandLimits } from '../no-command-limits.ts';
import type { ExecRequest } from '../sandbox/processes.ts';
import type { ExecFrame } from './host-frames.ts';

/** The EXEC frame for a request. @throws invalid-argument, limit-exceeded past `limits.execArgumentBytes` */
export function execFrame(
  id: number,
  request: ExecRequest,
  { hasStatus = false }: { hasStatus?: boolean | undefined } = {},
): ExecFrame {
  if (request.limits) throw noCommandLimits();
  const { cwd = '', user, pty, stdin = false } = request;
  return {
    type: 'exec',
    id,
    pty: pty !== undefined,
    stdin: stdin || pty !== undefined,
    root: user === 'root',
    status: hasStatus,
    columns: pty?.columns ?? 0,
    rows: pty?.rows ?? 0,
    windowBytes: limits.streamWindowBytes,
    cwd,
    ...commandArguments(request),
  };
}

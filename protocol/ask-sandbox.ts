import { listenAbort, throwIfAborted } from './abort.ts';
import { SandboxError } from './errors.ts';
import { limits } from './limits.ts';
import { OutputBuffer } from './output-buffer.ts';
import type { SandboxConnection } from './sandbox/connection.ts';
import type { ExecRequest } from './sandbox/processes.ts';

const what = 'Cannot look into the sandbox';

/**
 * Runs a short read-only script in a sandbox, without a trace in its history: it runs in a terminal of its own,
 * whose commands are not recorded as the cause of a snapshot. Resolves to its output. @throws not-found when it
 * fails; timeout, aborted, connection-lost
 */
export async function askSandbox(
  connection: SandboxConnection,
  {
    script,
    args,
    timeoutMs = limits.lookTimeoutMs,
    user,
    signal,
  }: {
    readonly script: string;
    readonly args: readonly string[];
    readonly timeoutMs?: number;
    readonly user?: ExecRequest['user'] | undefined;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<string> {
  const ended = Promise.withResolvers<number>();
  const output = new OutputBuffer();
  const command = ['/bin/bash', '-c', `stty -opost\n${script}`, 'coppice', ...args];
  throwIfAborted(signal, what);
  // Not in the sandbox's default directory, which may not exist any more.
  const request = {
    command,
    cwd: '/',
    pty: { columns: 80, rows: 24 },
    ...(user === undefined ? {} : { user }),
  };
  const process = await connection.processes.exec(request, (event) => {
    if (event.type === 'exit') ended.resolve(event.exitCode);
    else output.push(event.bytes);
  });
  const timer = setTimeout(
    () => ended.reject(new SandboxError('timeout', `${what}: it did not answer in time`)),
    timeoutMs,
  );
  const unlisten = listenAbort(signal, () => ended.reject(new SandboxError('aborted', `${what}: aborted`)));
  try {
    if ((await ended.promise) === 0) return output.text();
    throw new SandboxError('not-found', `${what}: what was looked for is not there`);
  } catch (error) {
    await process.kill().catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
    unlisten();
  }
}

import { SandboxError } from '../protocol/errors.ts';
import { limits } from '../protocol/limits.ts';
import type { SandboxConnection } from '../protocol/sandbox.ts';
import { OutputBuffer } from './output-buffer.ts';

/**
 * Runs a short script that looks at something in a sandbox, without a trace in its history: it runs in a
 * terminal of its own, and what runs there is not named as the cause of a snapshot. Resolves to what it
 * printed. @throws not-found when it fails; timeout, connection-lost
 */
export async function askSandbox(
  connection: SandboxConnection,
  { script, args }: { readonly script: string; readonly args: readonly string[] },
): Promise<string> {
  const ended = Promise.withResolvers<number>();
  const output = new OutputBuffer();
  const command = ['/bin/bash', '-c', `stty -opost\n${script}`, 'coppice', ...args];
  const process = await connection.exec({ command, pty: { columns: 80, rows: 24 } }, (event) => {
    if (event.type === 'exit') ended.resolve(event.exitCode);
    else output.push(event.bytes);
  });
  const timer = setTimeout(
    () =>
      ended.reject(new SandboxError('timeout', 'Cannot look into the sandbox: it did not answer in time')),
    limits.lookTimeoutMs,
  );
  try {
    if ((await ended.promise) === 0) return output.text();
    throw new SandboxError('not-found', 'Cannot look into the sandbox: what was looked for is not there');
  } catch (error) {
    await process.kill().catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

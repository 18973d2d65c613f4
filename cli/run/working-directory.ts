import { SandboxError } from '../../protocol/errors.ts';
import type { Sandbox } from '../../sdk/sandbox.ts';

/**
 * The absolute path of `--workdir` in a sandbox. One that does not begin with `/` is below the user's home, where `--mount-in`
 * copies folders to. @throws not-found
 */
export async function workingDirectory(
  workdir: string,
  { sandbox, signal }: { readonly sandbox: Sandbox; readonly signal: AbortSignal },
): Promise<string> {
  if (workdir.startsWith('/')) return workdir;
  const { exitCode, stdout } = await sandbox.run('cd -- "$DIRECTORY" && pwd', {
    envs: { DIRECTORY: workdir },
    signal,
  });
  if (exitCode === 0) return stdout.replace(/\n$/, '');
  const message = `Cannot begin in ${workdir}: the user's home has no such directory. --mount-in copies one of this host there`;
  throw new SandboxError('not-found', message);
}

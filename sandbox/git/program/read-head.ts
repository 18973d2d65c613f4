import type { GitHead } from '../../../protocol/sandbox/git.ts';
import type { ProcessStarter } from '../../machine/machine-ports.ts';
import { reading, runStep } from './run-step.ts';

export async function readHead(processes: ProcessStarter, directory: string, what: string): Promise<GitHead> {
  const args = ['rev-parse', '--verify', '--quiet', 'HEAD'];
  const { stdout } = await runStep(processes, { directory, what, args, envs: reading }, [0, 1]);
  const branch = await readBranch(processes, directory, what);
  const head = stdout.trim();
  return { ...(head === '' ? {} : { head }), ...(branch === undefined ? {} : { branch }) };
}

/** The current branch; `undefined` where HEAD is detached. */
export async function readBranch(
  processes: ProcessStarter,
  directory: string,
  what: string,
): Promise<string | undefined> {
  const args = ['symbolic-ref', '--quiet', '--short', 'HEAD'];
  const { exitCode, stdout } = await runStep(processes, { directory, what, args, envs: reading }, [0, 1]);
  return exitCode === 0 ? stdout.trim() : undefined;
}

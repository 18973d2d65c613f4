import { limits } from '../../../protocol/limits.ts';
import type { ProcessStarter } from '../../machine/machine-ports.ts';
import { gitStepFailure } from './git-failure.ts';
import { type GitOutput, type GitRun, runGit } from './run-git.ts';

export interface GitStep extends GitRun {
  /** Whether it talks to a server. */
  readonly isExchange?: boolean;
}

/** Takes no lock and writes nothing back, so that it may run beside another git; fetches nothing that a partial clone lacks. */
export const reading = { GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1' } as const;

/** Runs git to an end with one of these exit codes. @throws what git says, as an error */
export async function runStep(
  processes: ProcessStarter,
  { isExchange = false, ...run }: GitStep,
  fine: readonly number[] = [0],
): Promise<GitOutput> {
  const output = await runGit(processes, run);
  if (fine.includes(output.exitCode)) return output;
  // Of a commit it says on its standard output why there is none.
  const said = output.said || output.stdout.slice(-limits.gitSaidCharacters);
  throw gitStepFailure(run.what, said, { isExchange });
}

import { limits } from '../../protocol/limits.ts';
import type { ExitStatus } from '../../protocol/sandbox/processes.ts';
import type { RunCommandOptions } from './run-options.ts';

/** The exit code of `coppice` for a command that ended so: its own, 124 past its time, 137 for one that was killed. */
export function exitCodeOf({ exitCode, reason }: Pick<ExitStatus, 'exitCode' | 'reason'>): number {
  if (reason === 'timeout') return 124;
  if (reason === 'exited' || reason === 'signalled') return exitCode < 0 ? 137 : exitCode;
  return 137;
}

/** A sentence about a command that something else has ended, with what helps. */
export function whyEnded(
  { reason, limit }: Pick<ExitStatus, 'reason' | 'limit'>,
  { timeout, memory, disk }: Pick<RunCommandOptions, 'timeout' | 'memory' | 'disk'>,
): string | undefined {
  switch (reason) {
    case 'exited':
      return limit !== undefined && limit in limits.commandLimits
        ? `The command reached its limit of ${limit}: --limit ${limit}=NUMBER gives it another`
        : undefined;
    case 'signalled':
      return undefined;
    case 'timeout':
      return `The command was ended after ${(timeout ?? 0) / 1000} s: --timeout gives it longer`;
    case 'out-of-memory':
      return `The command used more than ${memory === undefined ? 'its memory' : `${memory} MiB`}: --memory gives it more`;
    case 'disk-limit':
      return `The command wrote more than ${disk === undefined ? 'its disk holds' : `${disk} MiB`}: --disk gives it more`;
    default:
      return `The command was ended: ${reason}`;
  }
}

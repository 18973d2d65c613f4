import { ShellError, ShellLimitError } from '../shell-error.ts';
import { isStackOverflow } from '../syntax/stack-overflow.ts';
import { CommandDiscard, FunctionReturn, LoopExit, ShellExit, SignalledExit } from './control-flow.ts';
import { guardExpansions } from './failures.ts';
import type { Shell } from './shell.ts';
import { runExitTrap } from './trap-runs.ts';

/** Runs a shell in its process until that ends: with its trap of `EXIT`, and with all that it held let go. Never rejects. */
export async function runShellToEnd(shell: Shell, run: () => Promise<unknown>): Promise<void> {
  const { process } = shell;
  try {
    const end = await endOf(shell, run);
    const status = await endOf(shell, async () => {
      shell.lastStatus = await runExitTrap(shell, end instanceof SignalledExit ? end.status : end);
    });
    if (end instanceof SignalledExit) {
      process.onSignal = undefined;
      process.send(end.signal);
    }
    process.exit(status instanceof SignalledExit ? status.status : status);
  } catch (error) {
    if (process.killedBy === undefined) await failForGood(shell, error).catch(() => {});
  } finally {
    shell.descriptors.closeAll();
    process.exit(1);
  }
}

/** Ends the process for what is no matter of the script: a limit, or a mistake of this shell's. */
async function failForGood(shell: Shell, error: unknown): Promise<void> {
  const limit = limitOf(error);
  if (limit === undefined) console.warn(error);
  shell.process.onSignal = undefined;
  try {
    await shell.tell(error instanceof Error ? error.message : `internal error: ${String(error)}`);
  } finally {
    shell.process.exit(126, limit);
  }
}

function limitOf(error: unknown): string | undefined {
  if (error instanceof ShellLimitError) return error.limit;
  if (isStackOverflow(error)) return 'depth';
  // Past the longest string that the engine has, which is more than a value may have.
  return error instanceof RangeError && /string length/i.test(error.message) ? 'valueLength' : undefined;
}

async function endOf(shell: Shell, run: () => Promise<unknown>): Promise<number | SignalledExit> {
  try {
    await guardExpansions(shell, async () => {
      await run();
      return 0;
    });
    await shell.flushWarnings();
    return shell.lastStatus;
  } catch (error) {
    await shell.flushWarnings();
    if (error instanceof ShellExit || error instanceof FunctionReturn || error instanceof CommandDiscard) {
      return error.status;
    }
    if (error instanceof SignalledExit) return error;
    if (error instanceof LoopExit) return 0;
    if (!(error instanceof ShellError)) throw error;
    await shell.tell(error.message);
    return 1;
  }
}

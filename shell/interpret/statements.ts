import type { StatementNode } from '../syntax/ast.ts';
import { startJob } from './background-jobs.ts';
import { ShellExit } from './control-flow.ts';
import { runPipeline } from './pipelines.ts';
import type { Shell } from './shell.ts';

/** Runs statements one after another. Answers the last one's status, which `$?` has too. */
export async function runStatements(shell: Shell, statements: readonly StatementNode[]): Promise<number> {
  let status = 0;
  for (const statement of statements) status = await runStatement(shell, statement);
  return status;
}

async function runStatement(shell: Shell, statement: StatementNode): Promise<number> {
  const pause = shell.step();
  if (pause) await pause;
  if (statement.deferredError) {
    await shell.tell(statement.deferredError.message);
    throw new ShellExit(2);
  }
  if (shell.options.has('noexec') && !shell.isInteractive) return 0;
  if (statement.background)
    return shell.setStatus(
      await startJob(shell, statement, (subshell) => runInBackground(subshell, statement)),
    );
  const status = await runList(shell, statement);
  if (shell.traps.hasPending) await shell.runPendingTraps();
  return status;
}

/** A program alone is the job's process itself: signals are for it. */
async function runInBackground(subshell: Shell, statement: StatementNode): Promise<number> {
  const [pipeline] = statement.pipelines;
  const [command] = pipeline?.commands ?? [];
  const isAlone = statement.pipelines.length === 1 && pipeline?.commands.length === 1;
  if (!isAlone || command?.type !== 'SimpleCommand' || pipeline?.negated || pipeline?.timed) {
    return await runList(subshell, statement);
  }
  subshell.commandInPlace = command;
  return await subshell.runCommand(command);
}

/** Pipelines between `&&` and `||`. Only the last one's failure counts for `set -e`. */
async function runList(shell: Shell, { pipelines, operators }: StatementNode): Promise<number> {
  let status = shell.lastStatus;
  for (const [index, pipeline] of pipelines.entries()) {
    const operator = index === 0 ? ';' : operators[index - 1];
    if ((operator === '&&' && status !== 0) || (operator === '||' && status === 0)) continue;
    const isLast = index === pipelines.length - 1;
    status = isLast
      ? await runPipeline(shell, pipeline)
      : await shell.whileFailureIsExpected(() => runPipeline(shell, pipeline));
    shell.lastStatus = status;
  }
  return status;
}

import { nullFile } from '../io/null-file.ts';
import type { StatementNode } from '../syntax/ast.ts';
import { encodeText } from '../text.ts';
import { sourceOfStatement } from './command-text.ts';
import type { Shell } from './shell.ts';
import { startSubshell } from './subshells.ts';

/** Starts a statement in the background. Answers 0. */
export async function startJob(
  shell: Shell,
  statement: StatementNode,
  run: (subshell: Shell) => Promise<number>,
): Promise<number> {
  const text = sourceOfStatement(statement);
  const { process } = startSubshell(shell, {
    command: text,
    isBackground: true,
    // Without job control, what runs in the background does not take the script's input.
    stdin: shell.options.has('monitor') || shell.isInputRedirected ? undefined : nullFile,
    run,
  });
  const job = shell.jobs.add(process, text);
  shell.lastBackgroundPid = process.pid;
  if (shell.isInteractive) await shell.writeStderr(encodeText(`[${job.number}] ${process.pid}\n`));
  return 0;
}

import { evaluateConditional } from '../expand/expand.ts';
import type { ArithmeticCommandNode, CommandNode, CompoundCommandNode } from '../syntax/ast.ts';
import { runCStyleFor } from './c-style-for.ts';
import { defineFunction } from './command-lookup.ts';
import { runCase, runFor, runIf, runSelect, runWhile } from './compound-commands.ts';
import { guardExpansions } from './failures.ts';
import { withRedirections } from './redirections.ts';
import type { Shell } from './shell.ts';
import { runSimpleCommand } from './simple-commands.ts';
import { runSubshell } from './subshells.ts';
import { runDebugTrap } from './trap-runs.ts';
import { traceArithmetic, traceConditional } from './xtrace.ts';

/** Runs one command of a pipeline. Answers its status. */
export async function runCommand(shell: Shell, command: CommandNode): Promise<number> {
  if (command.type === 'SimpleCommand') return await runSimpleCommand(shell, command);
  if (command.type === 'FunctionDef') return await defineFunction(shell, command);
  const mark = shell.processSubstitutions.length;
  try {
    return await guardExpansions(shell, () => runCompound(shell, command));
  } finally {
    shell.closeSubstitutions(mark);
  }
}

/** A compound command with its redirections. */
async function runCompound(shell: Shell, command: CompoundCommandNode): Promise<number> {
  // A subshell's redirections are done in it: what they set and open stays there, for its trap of EXIT too.
  if (command.type === 'Subshell') {
    const status = await runSubshell(shell, (subshell) => {
      const run = () => subshell.runStatements(command.body);
      const keeps = () => true;
      return withRedirections(subshell, command.redirections, { run, keeps }).then((result) => {
        subshell.lastStatus = result;
      });
    });
    return await settle(shell, status);
  }
  const status = await withRedirections(shell, command.redirections, { run: () => runBody(shell, command) });
  return shell.setStatus(status);
}

async function runBody(
  shell: Shell,
  command: Exclude<CompoundCommandNode, { type: 'Subshell' }>,
): Promise<number> {
  switch (command.type) {
    case 'Group':
      return await shell.runStatements(command.body);
    case 'If':
      return await runIf(shell, command);
    case 'For':
      return 'isSelect' in command ? await runSelect(shell, command) : await runFor(shell, command);
    case 'CStyleFor':
      return await runCStyleFor(shell, command);
    case 'While':
    case 'Until':
      return await runWhile(shell, command);
    case 'Case':
      return await runCase(shell, command);
    case 'ArithmeticCommand':
      return await runArithmetic(shell, command);
    case 'ConditionalCommand':
      shell.setLine(command.line);
      await runDebugTrap(shell, command);
      if (shell.options.has('xtrace')) await traceConditional(shell, command.expression);
      return await settle(shell, (await evaluateConditional(command.expression, shell.scope)) ? 0 : 1);
  }
}

async function runArithmetic(shell: Shell, command: ArithmeticCommandNode): Promise<number> {
  const { expression, line } = command;
  shell.setLine(line);
  await runDebugTrap(shell, command);
  if (shell.options.has('xtrace')) await traceArithmetic(shell, expression);
  return await settle(shell, (await shell.scope.evaluate(expression)) === 0n ? 1 : 0);
}

/** Sets what `$?` and `PIPESTATUS` are. */
async function settle(shell: Shell, status: number): Promise<number> {
  await shell.flushWarnings();
  shell.lastStatus = status;
  shell.pipeStatus = [status];
  return status;
}

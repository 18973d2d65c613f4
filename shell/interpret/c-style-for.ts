import type { ArithmeticExpressionNode, CStyleForNode } from '../syntax/ast.ts';
import { insideLoop, runLoopBody } from './loops.ts';
import type { Shell } from './shell.ts';
import { runDebugTrap } from './trap-runs.ts';
import { traceArithmetic } from './xtrace.ts';

/** `for (( init; condition; update ))`. */
export async function runCStyleFor(shell: Shell, node: CStyleForNode): Promise<number> {
  const { init, condition, update, body } = node;
  await evaluate(shell, node, init);
  return await insideLoop(shell, async () => {
    while ((await evaluate(shell, node, condition)) !== 0n) {
      const pause = shell.step();
      if (pause) await pause;
      if ((await runLoopBody(shell, () => shell.runStatements(body))) === 'leave') return;
      await evaluate(shell, node, update);
    }
  });
}

/** What is left out counts as true. */
async function evaluate(
  shell: Shell,
  node: CStyleForNode,
  expression: ArithmeticExpressionNode | null,
): Promise<bigint> {
  if (!expression) return 1n;
  shell.setLine(node.line);
  await runDebugTrap(shell, node);
  if (shell.options.has('xtrace')) await traceArithmetic(shell, expression);
  return await shell.scope.evaluate(expression);
}

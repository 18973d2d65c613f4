import { shellLimits } from '../limits.ts';
import { ShellLimitError } from '../shell-error.ts';
import type { ScriptNode } from '../syntax/ast.ts';
import type { Shell } from './shell.ts';

/** Of a line that the host's transform has refused. */
const refusedStatus = 126;

/**
 * The line that is to run. Where the host's transform throws, or answers no script, tells so, sets `$?` to 126 and answers `undefined`:
 * the rest of the source does not run.
 * @throws ShellLimitError of a tree that is too large, or a circle
 */
export async function transformLine(shell: Shell, script: ScriptNode): Promise<ScriptNode | undefined> {
  const { transform } = shell.host;
  if (!transform) return script;
  try {
    const changed: unknown = transform(script);
    if (!isScript(changed)) throw new TypeError('the transform of scripts answered no script');
    assertBounded(changed);
    return changed;
  } catch (error) {
    if (error instanceof ShellLimitError) throw error;
    await shell.tell(error instanceof Error ? error.message : String(error));
    shell.setStatus(refusedStatus);
    return undefined;
  }
}

function isScript(value: unknown): value is ScriptNode {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'type' in value && value.type === 'Script' && 'statements' in value && Array.isArray(value.statements)
  );
}

function assertBounded(script: ScriptNode): void {
  const left: unknown[] = [script];
  for (let count = 0; left.length > 0; count++) {
    if (count > shellLimits.transformedNodes) {
      const message = `the transform of scripts answered more than ${shellLimits.transformedNodes} nodes`;
      throw new ShellLimitError('transformedNodes', message);
    }
    const node = left.pop();
    if (typeof node !== 'object' || node === null) continue;
    for (const part of Object.values(node)) if (typeof part === 'object' && part !== null) left.push(part);
  }
}

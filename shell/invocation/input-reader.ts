import { createReader } from '../interpret/run-source.ts';
import type { Shell } from '../interpret/shell.ts';
import type { ScriptNode } from '../syntax/ast.ts';
import { SyntaxProblem } from '../syntax/parse.ts';
import type { ShellText } from '../text.ts';

/** What lines that were entered make: commands, or the beginning of some. */
export type InputState =
  | { readonly type: 'complete'; readonly scripts: readonly ScriptNode[] }
  | { readonly type: 'incomplete' }
  | { readonly type: 'problem'; readonly problem: SyntaxProblem };

/** Parses lines that came one after another: a terminal's, or a script's by standard input. */
export function parseInput(
  shell: Shell,
  source: ShellText,
  { line, isAtEnd }: { line: number; isAtEnd: boolean },
): InputState {
  if (!isAtEnd && /(^|[^\\])(\\\\)*\\\n$/.test(source)) return { type: 'incomplete' };
  const reader = createReader(shell, source, line);
  const scripts: ScriptNode[] = [];
  try {
    for (let script = reader.next(); script; script = reader.next()) {
      if (!isAtEnd && hasOpenHereDocument(script)) return { type: 'incomplete' };
      scripts.push(script);
    }
    return { type: 'complete', scripts };
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    return error.isIncomplete && !isAtEnd ? { type: 'incomplete' } : { type: 'problem', problem: error };
  }
}

/** Whether a here-document's text went on to the end of the source. */
function hasOpenHereDocument(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(hasOpenHereDocument);
  if (typeof node !== 'object' || node === null) return false;
  if ('type' in node && node.type === 'HereDoc' && 'terminated' in node) return node.terminated === false;
  return Object.values(node).some(hasOpenHereDocument);
}

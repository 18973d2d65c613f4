import type { ScriptNode } from '../syntax/ast.ts';
import { type ReadProgress, ScriptReader, SyntaxProblem } from '../syntax/parse.ts';
import type { ShellText } from '../text.ts';
import { CommandDiscard } from './control-flow.ts';
import type { Shell } from './shell.ts';
import { transformLine } from './transform-line.ts';

export interface SourceOptions {
  /** The number of the source's first line. */
  readonly line?: number;
  /** What messages of syntax mistakes name besides the shell: `eval`, `-c`. */
  readonly origin?: string | undefined;
}

/** How a source ended. */
export interface SourceEnd {
  readonly status: number;
  /** Or the host's transform refused a line: what stands before it has run. */
  readonly hasSyntaxProblem: boolean;
}

/**
 * Runs a script's text, line by line: what stands before a syntax mistake is run before that is told, and a mistake of an expansion
 * leaves the line that it is in.
 */
export async function runSource(
  shell: Shell,
  source: ShellText,
  { line = 1, origin }: SourceOptions = {},
): Promise<SourceEnd> {
  const reader = createReader(shell, source, { line });
  let status = 0;
  let position = 0;
  for (;;) {
    let script: ScriptNode | undefined;
    try {
      script = reader.next();
    } catch (error) {
      if (!(error instanceof SyntaxProblem)) throw error;
      if (shell.options.has('verbose')) await shell.writeStderrText(source.slice(position));
      status = await tellProblem(shell, error, origin);
      if (!error.isOfLine) return { status, hasSyntaxProblem: true };
      reader.skipLine();
      position = reader.position;
      continue;
    }
    if (shell.options.has('verbose')) await shell.writeStderrText(source.slice(position, reader.position));
    position = reader.position;
    if (!script) return { status, hasSyntaxProblem: false };
    const line = await transformLine(shell, script);
    if (!line) return { status: shell.lastStatus, hasSyntaxProblem: true };
    status = await runLine(shell, line);
  }
}

/** A reader that expands the shell's aliases. */
export function createReader(
  shell: Shell,
  source: ShellText,
  { line, progress }: { line: number; progress?: ReadProgress },
): ScriptReader {
  return new ScriptReader(source, {
    line,
    ...(progress && { progress }),
    extglob: () => shell.options.hasShopt('extglob'),
    posix: () => shell.options.has('posix'),
    alias: (name) => (shell.options.hasShopt('expand_aliases') ? shell.aliases.get(name) : undefined),
  });
}

/** Runs what was read together. */
export async function runLine(shell: Shell, { statements }: ScriptNode): Promise<number> {
  try {
    return await shell.runStatements(statements);
  } catch (error) {
    if (!(error instanceof CommandDiscard) || shell.isSubshell) throw error;
    shell.lastStatus = error.status;
    return error.status;
  }
}

/** Mistakes in `[[ … ]]` leave `$?` as it is: a script that they end has the status of what ran before. */
const conditionalProblem = /conditional|^unexpected (?:token|argument)|near `\]\]'/;

/** Writes what is wrong with a source. Answers the status. */
export async function tellProblem(
  shell: Shell,
  { message, line, sourceLine, isOfLine }: SyntaxProblem,
  origin: string | undefined,
): Promise<number> {
  const prefix = `${shell.errorName()}: ${origin === undefined ? '' : `${origin}: `}`;
  const place = shell.isInteractive || line === undefined ? '' : `line ${line}: `;
  await shell.writeStderrText(`${prefix}${place}${message}\n`);
  if (sourceLine !== undefined) await shell.writeStderrText(`${prefix}${place}\`${sourceLine}'\n`);
  const status = isOfLine ? 1 : 2;
  if (!conditionalProblem.test(message)) shell.lastStatus = status;
  return status;
}

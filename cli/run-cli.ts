import { CommanderError } from 'commander';
import { type ErrorData, errorTable, SandboxError } from '../protocol/errors.ts';
import { CliExit } from './cli-exit.ts';
import type { CliContext } from './context.ts';
import { plainLines } from './output/plain-text.ts';
import { buildProgram } from './program.ts';

/** Runs one command line (without the program's name). Resolves to the exit code; never rejects. */
export async function runCli(args: readonly string[], context: CliContext): Promise<number> {
  const isJson = asksForJson(args);
  try {
    const program = buildProgram(context);
    if (args.length === 0) {
      context.stderr.write(program.helpInformation());
      return errorTable['invalid-argument'].exitCode;
    }
    // Commander prints what is wrong with the arguments by itself; JSON is printed below.
    if (isJson)
      for (const command of [program, ...program.commands])
        command.configureOutput({ outputError: () => undefined });
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    return exitCode(error, { context, isJson });
  }
}

/** Before `--`, after which the words are another program's. */
function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end < 0 ? args.length : end).includes('--json');
}

function exitCode(
  why: unknown,
  { context, isJson }: { readonly context: CliContext; readonly isJson: boolean },
): number {
  const { stderr, environment } = context;
  if (why instanceof CliExit) return why.code;
  if (why instanceof CommanderError) {
    if (why.exitCode === 0) return 0; // Help and version.
    const message = why.message.replace(/^error: /, '').trimEnd();
    if (isJson) stderr.write(errorLine({ code: 'invalid-argument', message, details: {} }));
    return errorTable['invalid-argument'].exitCode;
  }
  const error = SandboxError.from(why);
  const { code, message } = error;
  stderr.write(isJson ? errorLine(error.toData()) : `coppice: ${plainLines(message)}\n`);
  if (environment.COPPICE_DEBUG !== undefined || (code === 'internal' && !isOfSystem(why))) {
    stderr.write(`${why instanceof Error ? plainLines(why.stack ?? '') : ''}\n`);
  }
  return errorTable[code].exitCode;
}

/** Whether the operating system has refused something, such as a file name that is too long: its message says it all. */
function isOfSystem(why: unknown): boolean {
  return why instanceof Error && ('syscall' in why || isOfSystem(why.cause));
}

/** An error for programs that read what `--json` prints. */
function errorLine(error: ErrorData): string {
  return `${JSON.stringify({ error })}\n`;
}

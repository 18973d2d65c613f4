import { CommanderError } from 'commander';
import { type ErrorData, errorTable, SandboxError } from '../protocol/errors.ts';
import { quoteWords } from '../protocol/quote-words.ts';
import { CliExit } from './cli-exit.ts';
import type { CliContext } from './context.ts';
import { shortId } from './history/snapshot-value.ts';
import { plainLines, plainText } from './output/plain-text.ts';
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
    return exitCode(error, { args, context, isJson });
  }
}

/** Before `--`, after which the words are another program's. */
function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end < 0 ? args.length : end).includes('--json');
}

function exitCode(
  why: unknown,
  {
    args,
    context,
    isJson,
  }: { readonly args: readonly string[]; readonly context: CliContext; readonly isJson: boolean },
): number {
  const { stderr, environment } = context;
  if (why instanceof CliExit) return why.code;
  if (isSuppressing(why)) {
    // What a command has owned could not be let go of as it should: that is told as well, and its own exit code counts.
    const own = exitCode(why.suppressed, { args, context, isJson });
    const after = exitCode(why.error, { args, context, isJson });
    return own || after;
  }
  if (why instanceof CommanderError) {
    if (why.exitCode === 0) return 0; // Help and version.
    const message = why.message.replace(/^error: /, '').trimEnd();
    if (isJson) stderr.write(errorLine({ code: 'invalid-argument', message, details: {} }));
    return errorTable['invalid-argument'].exitCode;
  }
  const error = ofSystem(why);
  const { code, message } = error;
  stderr.write(isJson ? errorLine(error.toData()) : `coppice: ${plainLines(message)}\n`);
  const meant = isJson ? undefined : meantCommand(args, error);
  if (meant !== undefined) stderr.write(`coppice: that is ${plainText(meant)}\n`);
  const size = isJson || code !== 'invalid-argument' ? undefined : /\b(memory|disk)MiB\b/.exec(message)?.[1];
  if (size !== undefined) stderr.write(`coppice: ${size}MiB is --${size}, in MiB\n`);
  if (environment.COPPICE_DEBUG !== undefined || (code === 'internal' && errnoOf(why) === undefined)) {
    stderr.write(`${why instanceof Error ? plainLines(why.stack ?? '') : ''}\n`);
  }
  return errorTable[code].exitCode;
}

/** Node 22 has no such class: what stands in for it there has its name. */
function isSuppressing(why: unknown): why is SuppressedError {
  return why instanceof Error && why.name === 'SuppressedError';
}

/** The command line with the id of the snapshot whose message was given instead; nothing where several have it. */
function meantCommand(args: readonly string[], { details }: SandboxError): string | undefined {
  const { reference, labelled } = details;
  const [only, ...others] = Array.isArray(labelled) ? labelled.map(String) : [];
  const at = args.lastIndexOf(String(reference));
  if (only === undefined || others.length > 0 || at < 0) return undefined;
  return quoteWords(['coppice', ...args.with(at, shortId(only))]);
}

/** Of a full disk that nothing has said it of yet. */
function ofSystem(why: unknown): SandboxError {
  const error = SandboxError.from(why);
  const errno = errnoOf(why);
  if (error.code !== 'internal' || (errno !== 'ENOSPC' && errno !== 'EDQUOT')) return error;
  const message = `${error.message}. Free some room on that disk first`;
  return new SandboxError('storage-full', message, { cause: why });
}

/** Where the operating system has refused something, such as a file name that is too long: its message says it all. */
function errnoOf(why: unknown): string | undefined {
  if (!(why instanceof Error)) return undefined;
  return 'syscall' in why ? String(Object(why).code) : errnoOf(why.cause);
}

/** An error for programs that read what `--json` prints. */
function errorLine(error: ErrorData): string {
  return `${JSON.stringify({ error })}\n`;
}

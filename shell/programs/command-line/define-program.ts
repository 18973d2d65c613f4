import { ShellError, ShellLimitError } from '../../shell-error.ts';
import { encodeText, type ShellText } from '../../text.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import type { Program, ProgramCall } from '../program.ts';
import { Output } from '../streams/output.ts';
import { describeOptions, type OptionTable, readOptionTable } from './option-table.ts';
import { type ParsedOptions, type ParseRules, parseOptions } from './parse-options.ts';

/** A program that is called: its arguments parsed, its output buffered. */
export interface Invocation<Key extends string = string> {
  readonly call: ProgramCall;
  readonly options: ParsedOptions<Key>;
  readonly operands: readonly ShellText[];
  /** Standard output. It is flushed before a warning and at the end. */
  readonly out: Output;
  /** Prints `name: message` to standard error. */
  warn(message: ShellText): Promise<void>;
}

interface ProgramDefinition<Key extends string> extends ParseRules {
  /** What stands after the name: `[OPTION]... [FILE]...`. */
  readonly usage: string;
  readonly summary: string;
  /** Lines of the help text by key: `-n, --lines=NUM  print the first NUM lines`. */
  readonly options?: Readonly<Record<Key, string>>;
  /** Exit code for arguments that are wrong. Default 1. */
  readonly usageStatus?: number;
  /** Old forms of options (`-5`) as new ones (`-n5`). */
  readonly rewrite?: (args: readonly ShellText[]) => readonly ShellText[];
  run(invocation: Invocation<Key>): Promise<number>;
}

/** A program with GNU's options, `--help` and `--version`. */
export function defineProgram<Key extends string = never>(definition: ProgramDefinition<Key>): Program {
  let table: OptionTable | undefined;
  const usageStatus = definition.usageStatus ?? 1;
  return async (call) => {
    const out = new Output(call.stdout, call.signal);
    const warn = async (message: ShellText) => {
      await out.flush();
      await call.stderr.write(encodeText(`${call.name}: ${message}\n`), call.signal);
    };
    try {
      table ??= readOptionTable(definition.options ?? {});
      const args = definition.rewrite?.(call.args) ?? call.args;
      const options = parseOptions<Key>(args, table, definition);
      if (options.has('help')) out.add(helpText(call.name, definition, table));
      else if (options.has('version')) out.add(`${call.name} (Coppice)\n`);
      const isAnswered = options.has('help', 'version');
      const status = isAnswered
        ? 0
        : await definition.run({
            call,
            options,
            operands: options.operands,
            out,
            warn,
          });
      await out.flush();
      return status;
    } catch (error) {
      // What is nested so deep that the stack is full, or longer than strings may be.
      if (error instanceof RangeError)
        throw new ShellLimitError('depth', 'what it was given is too large, or nested too deep');
      if (!(error instanceof ProgramError)) throw error;
      if (error.message !== '') await warn(error.message);
      const hint = `Try '${call.name} --help' for more information.\n`;
      if (error.isUsage) await call.stderr.write(encodeText(hint), call.signal);
      return error instanceof UsageError ? usageStatus : error.status;
    }
  };
}

/** Does something with a file. A failure of the system is printed after `what`, and answered as `false`. */
export async function attempt(
  { warn }: Pick<Invocation, 'warn'>,
  what: ShellText,
  action: () => unknown,
): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    if (!(error instanceof ShellError) || error.code === 'EPIPE') throw error;
    await warn(`${what}: ${error.message}`);
    return false;
  }
}

function helpText(
  name: ShellText,
  { usage, summary }: Pick<ProgramDefinition<never>, 'usage' | 'summary'>,
  table: OptionTable,
): string {
  return `Usage: ${name} ${usage}\n${summary}\n\n${describeOptions(table)}`;
}

import { type Command, InvalidArgumentError, Option } from 'commander';
import { SandboxError } from '../../protocol/errors.ts';
import type { PassedProgram } from '../terminal/pass-through.ts';

/** What a command is told of the program that it runs inside. */
export interface ProgramOptions {
  readonly user: 'user' | 'root';
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the program gets a terminal; by default where there is one. */
  readonly tty?: boolean;
}

/** Has `command` take a program and its arguments after `--`, with how it is run. */
export function takesProgram(command: Command): Command {
  return command
    .argument('<command...>', 'a program and its arguments, after --')
    .passThroughOptions()
    .addOption(new Option('--user <name>', 'as whom').choices(['user', 'root']).default('user'))
    .option(
      '--cwd <directory>',
      "where it begins, an absolute path; by default the user's home",
      parseAbsolute,
    )
    .option('--env <name=value>', 'a variable of its environment; may be given several times', addVariable)
    .option('--tty', 'a terminal, also where standard input or output is none')
    .option('--no-tty', 'pipes, also where standard input and output are a terminal');
}

export function programOf(command: readonly string[], { user, cwd, env }: ProgramOptions): PassedProgram {
  return { command, user, ...(env ? { envs: env } : {}), ...(cwd === undefined ? {} : { cwd }) };
}

/** Inside, no directory is the current one. */
function parseAbsolute(path: string): string {
  if (path.startsWith('/')) return path;
  throw new InvalidArgumentError('Give an absolute path, such as /home/user/src.');
}

export function addVariable(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const at = text.indexOf('=');
  if (at > 0) return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
  throw new SandboxError(
    'invalid-argument',
    `Cannot set the variable ${JSON.stringify(text)}: give NAME=VALUE`,
  );
}

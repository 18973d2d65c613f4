import { type Command, Option } from 'commander';
import { loginShell } from '../../protocol/sandbox/processes.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { CliExit } from '../cli-exit.ts';
import { addExamples } from '../examples.ts';
import { addVariable } from '../options/program-options.ts';

interface ShellCommandOptions extends SharedOptions {
  readonly tty?: boolean;
  readonly user: 'user' | 'root';
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
}

export function addShell(program: Command, cli: Cli): void {
  const command = program
    .command('shell')
    .description('a prompt in the sandbox, on every runtime: bash that goes on, with %snapshot and %restore')
    .option('--tty', 'a terminal of the sandbox instead, for programs that need one or ask something')
    .addOption(new Option('--user <name>', 'as whom').choices(['user', 'root']).default('user'))
    .option('--cwd <directory>', "where it begins; by default the user's home")
    .option('--env <name=value>', 'a variable; may be given several times', addVariable, {})
    .action((options: ShellCommandOptions) => shell(options, cli));
  addExamples(command, [
    ['coppice shell', '%help there lists what it can beside bash'],
    ['coppice shell --tty --user root', 'a terminal, with vim and less'],
    ["printf 'cd /tmp\\npwd\\n' | coppice shell", 'lines of standard input, one after the other'],
  ]);
}

async function shell(options: ShellCommandOptions, cli: Cli): Promise<never> {
  const { context } = cli;
  const { user, cwd, env: envs } = options;
  const begins = { user, envs, ...(cwd === undefined ? {} : { cwd }) };
  await using opened = await cli.openSandbox(options);
  const { sandbox } = opened;
  if (options.tty) {
    const { PassThrough } = await import('../terminal/pass-through.ts');
    using streams = new PassThrough(context, { terminal: true });
    const { exitCode } = await streams.run(sandbox.connection, { command: loginShell, ...begins });
    throw new CliExit(exitCode < 0 ? 137 : exitCode);
  }
  const { ShellSession } = await import('../shell/shell-session.ts');
  const { runShell } = await import('../shell/run-shell.ts');
  await using session = await ShellSession.open(sandbox, { context, options: begins });
  throw new CliExit(await runShell(session, { context, printer: cli.printer(options) }));
}

import type { Command } from 'commander';
import type { Cli, SharedOptions } from '../cli.ts';
import { CliExit } from '../cli-exit.ts';
import { addExamples } from '../examples.ts';
import { takesHostOptions } from '../options/host-options.ts';
import { type ProgramOptions, programOf, takesProgram } from '../options/program-options.ts';

export function addExec(program: Command, cli: Cli): void {
  const command = takesHostOptions(takesProgram(program.command('exec')))
    .description(
      'run a command in the sandbox, on this terminal or these pipes; its exit code is the exit code',
    )
    .action((words: string[], options: SharedOptions & ProgramOptions) => exec(words, options, cli));
  addExamples(command, [
    ['coppice exec -- make test', 'beside an agent that runs, or in a sandbox that nobody has open'],
    ['coppice exec --user root -- apt-get install -y jq', 'as root'],
    ['tar c src | coppice exec --cwd /srv -- tar x', 'bytes go through as they are'],
    ['coppice exec --json -- false', 'how it ended, with its output, as JSON'],
  ]);
}

async function exec(
  words: readonly string[],
  options: SharedOptions & ProgramOptions,
  cli: Cli,
): Promise<never> {
  const { PassThrough } = await import('../terminal/pass-through.ts');
  await using opened = await cli.openSandbox(options);
  const { sandbox } = opened;
  const { describeDenied, watchDenied } = await import('../run/describe-denied.ts');
  const takeDenied = await watchDenied(sandbox);
  const tellDenied = async () => {
    const denied = await takeDenied();
    for (const sentence of describeDenied(denied, { isNew: false }))
      cli.printer(options).note(`coppice: ${sentence}`);
    return denied;
  };
  if (options.json) {
    const { runForResult } = await import('../run/run-program.ts');
    const { user, cwd, env = {} } = options;
    const how = { user, env, ...(cwd === undefined ? {} : { workdir: cwd }) };
    const result = await runForResult({ command: words }, { sandbox, context: cli.context, options: how });
    const denied = await tellDenied();
    cli.printer(options).result({ ...result, ...(denied.length > 0 ? { denied } : {}) }, () => '');
    throw new CliExit(exitCodeOf(result));
  }
  using streams = new PassThrough(cli.context, { terminal: options.tty });
  using _signals = cli.context.takeSignals(['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP'], (signal) => {
    void streams.kill(signal as 'SIGTERM').catch(() => undefined);
  });
  const status = await streams.run(sandbox.connection, programOf(words, options));
  if (status.reason !== 'exited' && status.reason !== 'signalled') {
    cli.printer(options).note(`coppice: the command was ended: ${status.reason}`);
  }
  await tellDenied();
  throw new CliExit(exitCodeOf(status));
}

/** One that ended with its machine has none of its own: it counts as killed. */
function exitCodeOf({ exitCode }: { readonly exitCode: number }): number {
  return exitCode < 0 ? 137 : exitCode;
}

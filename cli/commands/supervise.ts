import type { Command } from 'commander';
import { SandboxError } from '../../protocol/errors.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { CliExit } from '../cli-exit.ts';
import { addExamples } from '../examples.ts';
import { takesHostOptions } from '../options/host-options.ts';
import { type ProgramOptions, programOf, takesProgram } from '../options/program-options.ts';

interface SuperviseCommandOptions extends SharedOptions, ProgramOptions {
  readonly relaunch: boolean;
  readonly record?: string;
  readonly withImage?: boolean;
}

export function addSupervise(program: Command, cli: Cli): void {
  const command = takesHostOptions(takesProgram(program.command('supervise')))
    .description('run a program in the sandbox, and again after each checkout; serves the folder meanwhile')
    .option('--no-relaunch', 'end with the first checkout')
    .option('--record <file>', 'record the session, of all that use the sandbox, in a new file')
    .option('--with-image', 'put the files of the image into it too, for places without it')
    .action(async (words: string[], options: SuperviseCommandOptions) => {
      if (options.withImage && options.record === undefined)
        throw new SandboxError(
          'invalid-argument',
          'Cannot put the image in: --with-image needs --record FILE',
        );
      const { superviseSandbox } = await import('../supervise/supervise-sandbox.ts');
      const supervised = superviseSandbox(programOf(words, options), {
        ...options,
        terminal: options.tty,
        context: cli.context,
        printer: cli.printer(options),
      });
      throw new CliExit(await supervised);
    });
  addExamples(command, [
    ['coppice init && coppice supervise -- bash', 'a shell whose every change is a snapshot'],
    [
      'coppice supervise --record work.cast.gz -- ./agent',
      'and all of it in a file, with its files at each step',
    ],
    ['coppice supervise --user root --cwd /srv -- ./agent', 'as root, in a directory'],
    [
      'coppice ctl checkout good',
      'from another terminal: back to the tag `good`, where the agent starts again',
    ],
  ]);
}

import type { Command } from 'commander';
import { SandboxError } from '../../protocol/errors.ts';
import type { Cli } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { exitCodesText } from '../exit-codes.ts';

const exitCodesTopic = 'exit-codes';

export function addHelp(program: Command, cli: Cli): void {
  program.helpCommand(false);
  const help = program
    .command('help')
    .description('what a command does, or what exit codes say')
    .argument('[command...]', `a command, or ${exitCodesTopic}`)
    .action((words: readonly string[]) => {
      if (words[0] === exitCodesTopic) cli.context.stdout.write(exitCodesText());
      else cli.context.stdout.write(findCommand(program, words).helpInformation());
    });
  addExamples(help, [
    ['coppice help log', 'what coppice log does, as coppice log --help'],
    [`coppice help ${exitCodesTopic}`, 'what exit codes say'],
  ]);
}

/** @throws not-found */
function findCommand(program: Command, words: readonly string[]): Command {
  let found = program;
  for (const word of words) {
    const next = found.commands.find(
      (command) => command.name() === word || command.aliases().includes(word),
    );
    if (!next)
      throw new SandboxError(
        'not-found',
        `There is no command ${words.join(' ')}: coppice --help lists them`,
      );
    found = next;
  }
  return found;
}

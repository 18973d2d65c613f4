import { Argument, type Command } from 'commander';
import type { Cli } from '../cli.ts';
import { completeWords } from '../completion/complete-words.ts';
import { knownNames } from '../completion/known-names.ts';
import {
  type CompletionShell,
  completionScript,
  completionShells,
  filesMark,
} from '../completion/shell-scripts.ts';
import { addExamples } from '../examples.ts';

export function addCompletion(program: Command, cli: Cli): void {
  const completion = program
    .command('completion')
    .description('print what teaches a shell to complete the words of coppice')
    .addArgument(new Argument('<shell>', 'which shell').choices(completionShells))
    .action((shell: CompletionShell) => void cli.context.stdout.write(completionScript(shell)));
  addExamples(completion, [
    ['coppice completion bash >> ~/.bashrc', 'for bash'],
    ['coppice completion zsh > ~/.zfunc/_coppice', 'for zsh, where fpath has ~/.zfunc'],
    ['coppice completion fish > ~/.config/fish/completions/coppice.fish', 'for fish'],
  ]);
  addComplete(program, cli);
}

/** What the scripts ask. */
function addComplete(program: Command, cli: Cli): void {
  program
    .command('complete', { hidden: true })
    .description('answer a shell that completes')
    .argument('[words...]', 'the words of the command line, the last one as far as it is typed')
    .action(async (words: readonly string[]) => {
      const found = await completeWords(program, words, (options) => knownNames(options, cli.context));
      const lines = found === 'files' ? [filesMark] : found.map(({ word, does }) => `${word}\t${does}`);
      cli.context.stdout.write(lines.map((line) => `${line}\n`).join(''));
    });
}

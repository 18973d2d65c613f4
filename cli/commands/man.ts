import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { manualPage } from '../man/manual-page.ts';

export function addMan(program: Command, cli: Cli): void {
  const man = program
    .command('man')
    .description('print the manual page')
    .action(() => void cli.context.stdout.write(manualPage(program)));
  addExamples(man, [
    ['coppice man > coppice.1 && man ./coppice.1', 'read it'],
    ['coppice man > /usr/local/share/man/man1/coppice.1', 'install it'],
  ]);
}

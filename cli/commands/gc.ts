import type { Command } from 'commander';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { bytesText } from '../output/amounts.ts';

export function addGc(program: Command, cli: Cli): void {
  const command = program
    .command('gc')
    .description('free the space of what no snapshot refers to')
    .action(async (options: SharedOptions) => {
      await using opened = await cli.openSandbox(options);
      const freedBytes = await opened.sandbox.history.collectGarbage();
      cli.printer(options).result({ freedBytes }, () => `${bytesText(freedBytes)} freed`);
    });
  addExamples(command, [['coppice gc', 'after tags were deleted, or imports given up']]);
}

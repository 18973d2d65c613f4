import type { Command } from 'commander';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { findSnapshot, referenceHelp } from '../history/references.ts';
import { snapshotValue } from '../history/snapshot-value.ts';

export function addHead(program: Command, cli: Cli): void {
  const command = program
    .command('head')
    .description('the id of HEAD, or of what another reference names')
    .argument('[ref]', referenceHelp, 'HEAD')
    .action(async (reference: string, options: SharedOptions) => {
      await using opened = await cli.openToRead(options);
      const view = await opened.sandbox.history.get();
      const snapshot = findSnapshot(view, reference);
      cli.printer(options).result(snapshotValue(snapshot, view.head), () => snapshot.id);
    });
  addExamples(command, [
    ['before=$(coppice head)', 'remember where this is'],
    ['coppice head good', 'the whole id of a tag'],
  ]);
}

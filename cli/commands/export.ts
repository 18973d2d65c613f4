import type { Command } from 'commander';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { findSnapshot, referenceHelp } from '../history/references.ts';
import { shortId } from '../history/snapshot-value.ts';
import { bytesText } from '../output/amounts.ts';
import { withProgress, writePieces } from '../transfer/file-ends.ts';

export function addExport(program: Command, cli: Cli): void {
  const command = program
    .command('export')
    .description(
      'write a snapshot to one file, which coppice import and the page open: all but what its image has',
    )
    .argument('<file>', 'the file, replaced where it exists; - for standard output')
    .argument('[ref]', referenceHelp, 'HEAD')
    .action(async (file: string, reference: string, options: SharedOptions) => {
      const { context } = cli;
      await using opened = await cli.openToRead(options);
      const { sandbox } = opened;
      const { id } = findSnapshot(await sandbox.history.get(), reference);
      const sizeBytes = await withProgress(
        `export ${shortId(id)}`,
        { context, quiet: options.quiet },
        (report) => writePieces(sandbox.exportSnapshot(id), { path: file, context, report }),
      );
      if (file === '-') return;
      cli
        .printer(options)
        .result({ file, snapshot: id, sizeBytes }, () => `${file}: ${shortId(id)}, ${bytesText(sizeBytes)}`);
    });
  addExamples(command, [
    ['coppice export work.coppice', 'HEAD, for somebody else or another machine'],
    ['coppice export - good | ssh host coppice import -', 'a tag to another host'],
  ]);
}

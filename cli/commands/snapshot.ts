import type { Command } from 'commander';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { findSnapshot, referenceHelp } from '../history/references.ts';
import { shortId } from '../history/snapshot-value.ts';
import { bytesText } from '../output/amounts.ts';
import { plainText } from '../output/plain-text.ts';
import { withProgress, writePieces } from '../transfer/file-ends.ts';

interface SnapshotOptions extends SharedOptions {
  readonly out: string;
}

export function addSnapshot(program: Command, cli: Cli): void {
  const command = program
    .command('snapshot')
    .description('write all files of a snapshot, those of the image too, as a tar archive')
    .argument('[ref]', referenceHelp, 'HEAD')
    .requiredOption('-o, --out <file>', 'the archive, replaced where it exists; - for standard output')
    .action((reference: string, options: SnapshotOptions) => snapshot(reference, options, cli));
  addExamples(command, [
    ['coppice snapshot --out root.tar', 'a whole root, which coppice restore takes back'],
    ['coppice snapshot good --out - | zstd > good.tar.zst', 'a tag, compressed'],
  ]);
}

async function snapshot(reference: string, options: SnapshotOptions, cli: Cli): Promise<void> {
  const { context } = cli;
  const { out, quiet } = options;
  await using opened = await cli.openToRead(options);
  const { sandbox } = opened;
  const { id } = findSnapshot(await sandbox.history.get(), reference);
  await using archive = await sandbox.exportTar({ at: id });
  const sizeBytes = await withProgress(`snapshot ${shortId(id)}`, { context, quiet }, (report) =>
    writePieces(archive, { path: out, context, report }),
  );
  const printer = cli.printer(options);
  for (const path of archive.missing)
    printer.note(`coppice: left out, as it cannot be read: ${plainText(path)}`);
  if (out === '-') return;
  const value = { file: out, snapshot: id, sizeBytes, missing: archive.missingCount };
  printer.result(value, () => `${out}: ${shortId(id)}, ${bytesText(sizeBytes)}`);
}

import type { Command } from 'commander';
import { notePreviousHead } from '../../sdk/undo/previous-head.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { noteEnded } from '../history/note-ended.ts';
import { shortId } from '../history/snapshot-value.ts';
import { readPieces, sizeOf, withProgress } from '../transfer/file-ends.ts';

interface RestoreOptions extends SharedOptions {
  readonly in: string;
  readonly message?: string;
}

export function addRestore(program: Command, cli: Cli): void {
  const command = program
    .command('restore')
    .description(
      'put a tar archive of a whole root in place of all files, as a new snapshot: all of it, or nothing',
    )
    .requiredOption('-i, --in <file>', 'the archive, or a gzip of one; - for standard input')
    .option('-m, --message <text>', 'what the snapshot is called')
    .action(async ({ message, ...options }: RestoreOptions) => {
      const { context } = cli;
      await using opened = await cli.openSandbox(options);
      const { sandbox } = opened;
      const totalBytes = await sizeOf({ path: options.in, context });
      const restored = await withProgress('restore', { context, quiet: options.quiet }, (report) =>
        sandbox.restoreTar(readPieces({ path: options.in, context, report, totalBytes }), {
          label: message,
          signal: context.signal,
        }),
      );
      const result = await notePreviousHead(sandbox, restored);
      const printer = cli.printer(options);
      printer.result(result, () => `HEAD is ${shortId(result.head)} now`);
      printer.warn(result);
      noteEnded(opened.place, printer);
    });
  addExamples(command, [
    ['coppice restore --in root.tar', 'what coppice snapshot wrote; coppice checkout - undoes it'],
    ['zstdcat good.tar.zst | coppice restore --in - -m "from good"', 'from standard input'],
  ]);
}

import type { Command } from 'commander';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { plainText } from '../output/plain-text.ts';
import { assertNamesFree } from '../place/assert-names-free.ts';
import { readPieces, sizeOf, withProgress } from '../transfer/file-ends.ts';

interface ImportOptions extends SharedOptions {
  readonly as?: string;
}

export function addImport(program: Command, cli: Cli): void {
  const command = program
    .command('import')
    .description('make a sandbox of a file that coppice export or the page wrote; all of it is verified')
    .argument('<file>', 'the file; - for standard input')
    .option('--as <name>', 'what it is called; as the file says by default')
    .action(async (file: string, options: ImportOptions) => {
      const { context } = cli;
      await using place = await cli.openPlace(options);
      const { backend } = place;
      if (options.as !== undefined) await assertNamesFree([options.as], place);
      const { Sandbox } = await import('../../sdk/sandbox.ts');
      const totalBytes = await sizeOf({ path: file, context });
      const info = await withProgress('import', { context, quiet: options.quiet }, (report) =>
        Sandbox.importSnapshot(readPieces({ path: file, context, report, totalBytes }), {
          backend,
          ...(options.as === undefined ? {} : { name: options.as }),
        }),
      );
      const printer = cli.printer(options);
      printer.result(info, () => `${plainText(info.name)}  ${info.id}`);
      const isShared = (await backend.list()).some(({ id, name }) => id !== info.id && name === info.name);
      if (isShared) printer.note(`coppice: ${sharedName(info)}`);
    });
  addExamples(command, [
    ['coppice import work.coppice', 'under the name that it had'],
    ['coppice import - --as review < work.coppice', 'from standard input, under another'],
  ]);
}

/** For people: commands refuse a name that is no longer of one. */
function sharedName({ id, name }: SandboxInfo): string {
  return `another sandbox is called ${plainText(name)} too, so commands take their ids only: coppice rename ${id} NAME gives this one another name`;
}

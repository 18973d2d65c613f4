import type { Command } from 'commander';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { isoTime } from '../history/snapshot-value.ts';
import { agoText } from '../output/amounts.ts';
import { inColumns } from '../output/columns.ts';
import { plainText } from '../output/plain-text.ts';
import { Style } from '../output/style.ts';
import { openPlaceToRead } from '../place/open-place.ts';

export function addList(program: Command, cli: Cli): void {
  const command = program
    .command('list')
    .alias('ls')
    .description('the sandboxes that there are')
    .action(async (options: SharedOptions) => {
      await using place = await openPlaceToRead(options, cli.context);
      const all = (await place.backend.list()).toSorted((one, other) => one.createdAtMs - other.createdAtMs);
      const printer = cli.printer(options);
      const style = new Style(cli.context);
      const nowMs = Date.now();
      const rows = inColumns(
        all.map((info) => [
          plainText(info.name),
          info.id,
          info.runtime,
          plainText(info.image || '-'),
          agoText(info.createdAtMs, nowMs),
        ]),
      );
      for (const [index, info] of all.entries()) {
        const createdAt = isoTime(info.createdAtMs);
        printer.result({ ...info, createdAt }, () => style.line([rows[index] ?? '']));
      }
    });
  addExamples(command, [
    ['coppice list', 'names, ids, runtimes, images and ages'],
    ['coppice ls --json', 'a line of JSON for each'],
  ]);
}

import type { Command } from 'commander';
import { tipsOf } from '../../sdk/undo/ancestors.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { snapshotTitle } from '../history/describe-snapshot.ts';
import { shortId, snapshotValue } from '../history/snapshot-value.ts';
import { agoText } from '../output/amounts.ts';
import { plainText } from '../output/plain-text.ts';
import { Style } from '../output/style.ts';

export function addBranches(program: Command, cli: Cli): void {
  const command = program
    .command('branches')
    .description('the ends of all branches: snapshots that nothing continues, newest first')
    .action(async (options: SharedOptions) => {
      await using opened = await cli.openToRead(options);
      const view = await opened.sandbox.history.get();
      const printer = cli.printer(options);
      const style = new Style(cli.context);
      const nowMs = Date.now();
      for (const tip of tipsOf(view)) {
        const isHead = tip.id === view.head;
        printer.result(snapshotValue(tip, view.head), () =>
          style.line([
            isHead ? '* ' : '  ',
            ['yellow', shortId(tip.id)],
            `  ${agoText(tip.takenAtMs, nowMs).padEnd(6)}  `,
            ['green', tip.tags.map((tag) => `(${plainText(tag)}) `).join('')],
            snapshotTitle(tip),
          ]),
        );
      }
    });
  addExamples(command, [['coppice branches', 'where the history has gone on; * is HEAD']]);
}

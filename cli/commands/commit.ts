import type { Command } from 'commander';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { countsOf, snapshotTitle } from '../history/describe-snapshot.ts';
import { shortId, snapshotValue } from '../history/snapshot-value.ts';

interface CommitOptions extends SharedOptions {
  readonly message?: string;
  readonly memory?: boolean;
  readonly ifChanged?: boolean;
}

export function addCommit(program: Command, cli: Cli): void {
  const command = program
    .command('commit')
    .description('take a snapshot with a name; it is durable when its id is printed')
    .option('-m, --message <text>', 'what it is called')
    .option('--memory', 'with what runs: whoever goes there goes on with it; where the runtime can')
    .option('--if-changed', 'none where HEAD has the same files')
    .action(async ({ message, memory, ifChanged, ...options }: CommitOptions) => {
      await using opened = await cli.openSandbox(options);
      const snapshot = await opened.sandbox.createSnapshot({ label: message, memory, ifChanged });
      cli
        .printer(options)
        .result(snapshotValue(snapshot, snapshot.id), () =>
          `[${shortId(snapshot.id)}] ${snapshotTitle(snapshot)}  ${countsOf(snapshot.changes)}`.trimEnd(),
        );
    });
  addExamples(command, [
    ['coppice commit -m "before the migration"', 'a name for this instant'],
    ['coppice commit --if-changed --json', 'HEAD where nothing has changed; its record as JSON'],
  ]);
}

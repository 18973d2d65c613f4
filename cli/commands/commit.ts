import type { Command } from 'commander';
import { SandboxError } from '../../protocol/errors.ts';
import { quoteWords } from '../../protocol/quote-words.ts';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import { stoppedMs } from '../../protocol/sandbox/stop.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { countsOf, snapshotTitle } from '../history/describe-snapshot.ts';
import { shortId, snapshotValue } from '../history/snapshot-value.ts';
import { durationText } from '../output/amounts.ts';

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
    .option('--memory', 'with what runs, which goes on after a checkout; where the runtime can')
    .option('--if-changed', 'take none where HEAD has the same files')
    .allowExcessArguments() // Refused by a message that says what was meant.
    .action(async ({ message, memory, ifChanged, ...options }: CommitOptions) => {
      assertNoWords(command.args);
      await using opened = await cli.openSandbox(options);
      const snapshot = await opened.sandbox.createSnapshot({ label: message, memory, ifChanged });
      cli
        .printer(options)
        .result(snapshotValue(snapshot, snapshot.id), () =>
          [
            `[${shortId(snapshot.id)}] ${snapshotTitle(snapshot)}  ${countsOf(snapshot.changes)}`.trimEnd(),
            ...stopLines(snapshot),
          ].join('\n'),
        );
    });
  addExamples(command, [
    ['coppice commit -m "before the migration"', 'a name for this instant'],
    ['coppice commit --if-changed --json', 'HEAD where nothing has changed; its record as JSON'],
  ]);
}

function stopLines(snapshot: SnapshotInfo): string[] {
  const ms = stoppedMs(snapshot);
  return ms === undefined ? [] : [`Programs stood still for ${durationText(ms)} while files were read.`];
}

/** @throws invalid-argument for words, which may be the message that another program takes without an option */
function assertNoWords(words: readonly string[]): void {
  if (words.length === 0) return;
  const meant = quoteWords(['-m', words.join(' ')]);
  throw new SandboxError('invalid-argument', `Cannot commit ${quoteWords(words)}: did you mean ${meant}?`);
}

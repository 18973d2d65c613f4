import type { Command } from 'commander';
import { quoteWords } from '../../protocol/quote-words.ts';
import type { Change, SnapshotInfo } from '../../protocol/sandbox/history.ts';
import { ranCommands } from '../../protocol/sandbox/ran-commands.ts';
import { stoppedMs } from '../../protocol/sandbox/stop.ts';
import { coverageParts } from '../../tree/history/snapshot-record.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { changeLine } from '../compare/change-lines.ts';
import { addExamples } from '../examples.ts';
import { countsOf, endOfCommand, snapshotTitle } from '../history/describe-snapshot.ts';
import { findSnapshot, referenceHelp } from '../history/references.ts';
import { isoTime, shortId, snapshotValue } from '../history/snapshot-value.ts';
import { durationText } from '../output/amounts.ts';
import { inColumns } from '../output/columns.ts';
import { plainText } from '../output/plain-text.ts';
import { Style } from '../output/style.ts';

export function addShow(program: Command, cli: Cli): void {
  const command = program
    .command('show')
    .description(
      'one snapshot: what made it, how that ended, which files it changed, what of the machine it has',
    )
    .argument('[ref]', referenceHelp, 'HEAD')
    .action(async (reference: string, options: SharedOptions) => {
      await using opened = await cli.openToRead(options);
      const { sandbox } = opened;
      const view = await sandbox.history.get();
      const snapshot = findSnapshot(view, reference);
      const [parent] = snapshot.parents;
      const changes = parent === undefined ? undefined : await sandbox.diff(parent, snapshot.id);
      const value = { ...snapshotValue(snapshot, view.head), ...(changes ? { files: changes } : {}) };
      cli
        .printer(options)
        .result(value, () => showText(snapshot, { changes, style: new Style(cli.context) }));
    });
  addExamples(command, [
    ['coppice show', 'what HEAD is'],
    ['coppice show good --json', 'the record of a tag, with its files'],
  ]);
}

function showText(
  snapshot: SnapshotInfo,
  { changes, style }: { readonly changes: readonly Change[] | undefined; readonly style: Style },
): string {
  const { id, parents, tags, takenAtMs, cause, coverage } = snapshot;
  const stopped = stoppedMs(snapshot);
  const facts = inColumns([
    ['taken', isoTime(takenAtMs) ?? 'unknown'],
    ['cause', cause.type],
    ...parents.map((parent, index) => [index === 0 ? 'parent' : 'merged', shortId(parent)]),
    ...tags.map((tag) => ['tag', plainText(tag)]),
    ...commandRows(snapshot),
    ...coverageParts.map((part) => [part, coverageText(coverage[part])]),
    ...(stopped === undefined ? [] : [['stopped', `programs, for ${durationText(stopped)}`]]),
  ]);
  const files = changes?.map((change) => changeLine(change, style)) ?? [];
  return [
    style.line([['yellow', id], `  ${snapshotTitle(snapshot)}`]),
    ...facts.map((line) => style.line([`  ${line}`])),
    ...(files.length > 0 ? ['', `  ${countsOf(snapshot.changes)}`.trimEnd(), ...files] : []),
  ].join('\n');
}

/** The commands that it was taken after, or during. */
function commandRows(snapshot: SnapshotInfo): string[][] {
  return ranCommands(snapshot).map((ran) => {
    const { command, argv, by, durationMs } = ran;
    const took = durationMs === undefined ? '' : ` after ${durationText(durationMs)}`;
    const words = argv ? quoteWords(argv) : command;
    return ['command', `${plainText(words)} (${by}, ${endOfCommand(ran)}${took})`];
  });
}

function coverageText(covered: SnapshotInfo['coverage']['files']): string {
  if (!covered.captured) return `no: ${plainText(covered.why)}`;
  return covered.renewed === undefined ? 'yes' : `yes, but new: ${plainText(covered.renewed)}`;
}

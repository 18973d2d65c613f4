import type { Command } from 'commander';
import type { HistoryView, SnapshotInfo } from '../../protocol/sandbox/history.ts';
import { ancestorsOf } from '../../sdk/undo/ancestors.ts';
import { foldCommands } from '../../sdk/undo/one-command.ts';
import { displayWidth } from '../../shell/programs/notation/display-width.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { countsOf, failureOf, snapshotTitle } from '../history/describe-snapshot.ts';
import { drawGraph } from '../history/draw-graph.ts';
import { findSnapshot, referenceHelp } from '../history/references.ts';
import { shortId, snapshotValue } from '../history/snapshot-value.ts';
import { parseCount } from '../options/parse-count.ts';
import { agoText } from '../output/amounts.ts';
import { cutText, plainText } from '../output/plain-text.ts';
import { Style } from '../output/style.ts';

interface LogOptions extends SharedOptions {
  readonly all?: boolean;
  readonly captures?: boolean;
  readonly number?: number;
}

/** Of a title that tags leave little room. */
const titleColumns = 20;

export function addLog(program: Command, cli: Cli): void {
  const command = program
    .command('log')
    .description('the snapshots that led to HEAD, newest first, with what made them and what they changed')
    .argument('[ref]', `begin at ${referenceHelp}`, 'HEAD')
    .option('-a, --all', 'every snapshot that is kept, with all branches')
    .option('--captures', 'each capture of a command that took long, not one line for all of them')
    .option('-n, --number <count>', 'at most so many', parseCount)
    .action((reference: string, options: LogOptions) => log(reference, options, cli));
  addExamples(command, [
    ['coppice log', 'how the files came to be as they are'],
    ['coppice log --all', 'all branches and merges, drawn as by git log --graph'],
    ['coppice log -n 1 --json', 'the newest snapshot with its whole record'],
  ]);
}

async function log(reference: string, options: LogOptions, cli: Cli): Promise<void> {
  await using opened = await cli.openToRead(options);
  const view = await opened.sandbox.history.get();
  const listed = options.all
    ? view.snapshots.toReversed()
    : ancestorsOf(view, findSnapshot(view, reference).id);
  const isFolded = !options.json && !options.captures;
  const shown = (isFolded ? foldCommands(listed, view) : listed).slice(0, options.number);
  const lines = options.json
    ? shown.map((snapshot) => JSON.stringify(snapshotValue(snapshot, view.head)))
    : logLines(shown, view, new Style(cli.context));
  if (lines.length > 0) cli.context.stdout.write(`${lines.join('\n')}\n`);
}

function logLines(shown: readonly SnapshotInfo[], { head }: HistoryView, style: Style): string[] {
  const nowMs = Date.now();
  const graph = drawGraph(shown);
  return shown.flatMap((snapshot) => {
    const row = graph.next().value;
    const { above = [], node = '*', below = [] } = row ?? {};
    return [
      ...above.map((text) => style.line([text])),
      logLine(snapshot, { node, isHead: snapshot.id === head, nowMs, style }),
      ...below.map((text) => style.line([text])),
    ];
  });
}

function logLine(
  snapshot: SnapshotInfo,
  { node, isHead, nowMs, style }: { node: string; isHead: boolean; nowMs: number; style: Style },
): string {
  const names = [...(isHead ? ['HEAD'] : []), ...snapshot.tags.map((tag) => `tag: ${plainText(tag)}`)];
  const failure = failureOf(snapshot);
  const counts = countsOf(snapshot.changes);
  const before = [
    `${node} `,
    ['yellow', shortId(snapshot.id)],
    `  ${agoText(snapshot.takenAtMs, nowMs).padEnd(6)}  `,
    ...(names.length > 0 ? [['green', `(${names.join(', ')}) `] as const] : []),
  ] as const;
  const after = [
    ...(failure === undefined ? [] : [['red', `  ${failure}`] as const]),
    ...(counts === '' ? [] : [['dim', `  ${counts}`] as const]),
    // Why, `coppice show` tells.
    ...(snapshot.coverage.files.captured ? [] : [['yellow', '  not all files'] as const]),
  ];
  // What came of it is seen beside a long title, too.
  const taken = displayWidth(
    [...before, ...after].map((piece) => (typeof piece === 'string' ? piece : piece[1])).join(''),
  );
  const title = cutText(snapshotTitle(snapshot), Math.max(titleColumns, style.columns - taken));
  return style.line([...before, title, ...after]);
}

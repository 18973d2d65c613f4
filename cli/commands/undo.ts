import type { Command } from 'commander';
import { type MovedSteps, redoSteps, undoSteps } from '../../sdk/undo/move-steps.ts';
import { undoneTag } from '../../sdk/undo/steps.ts';
import type { Cli, OpenedSandbox, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { snapshotTitle } from '../history/describe-snapshot.ts';
import { noteEnded } from '../history/note-ended.ts';
import { shortId } from '../history/snapshot-value.ts';
import { parseCount } from '../options/parse-count.ts';

/** Of a sandbox; programs in a folder that has a history run on. */
const ends = 'every process ends, a supervised one starts again';
const undoRemedy = 'coppice log shows the history';
const redoRemedy = `coppice checkout ${undoneTag} goes there, coppice merge ${undoneTag} brings both together`;

export function addUndo(program: Command, cli: Cli): void {
  const undoing = program
    .command('undo')
    .description('take back the last steps: tool calls of an agent that is wrapped, else snapshots')
    .argument('[count]', 'how many', parseCount, 1)
    .action((count: number, options: SharedOptions) => undo(count, options, cli));
  addExamples(undoing, [
    ['coppice undo', `the files as they were before the last step; ${ends}`],
    ['coppice undo 3', 'before the last three'],
    ['coppice undo --in-place ~/project', 'of a folder whose history is kept, from anywhere'],
  ]);
  const redoing = program
    .command('redo')
    .description('do what was undone again')
    .argument('[count]', 'how many steps', parseCount, 1)
    .action((count: number, options: SharedOptions) => redo(count, options, cli));
  addExamples(redoing, [
    ['coppice redo', `the last step that was undone; ${ends}`],
    ['coppice redo 3', 'three of them'],
  ]);
}

async function undo(count: number, options: SharedOptions, cli: Cli): Promise<void> {
  await using opened = await cli.openSandbox(options);
  const undone = await undoSteps(opened.sandbox, { count, remedy: undoRemedy });
  printMove({ verb: 'Undone', ...undone }, { opened, options, cli });
  const { length } = undone.steps;
  if (!options.json) cli.printer(options).note(`The way back: coppice redo${length > 1 ? ` ${length}` : ''}`);
}

async function redo(count: number, options: SharedOptions, cli: Cli): Promise<void> {
  await using opened = await cli.openSandbox(options);
  const redone = await redoSteps(opened.sandbox, { count, remedy: redoRemedy });
  printMove({ verb: 'Done again', ...redone }, { opened, options, cli });
}

interface Move extends MovedSteps {
  readonly verb: string;
}

function printMove(
  { verb, steps, target, head, previousHead, warning }: Move,
  {
    opened,
    options,
    cli,
  }: { readonly opened: OpenedSandbox; readonly options: SharedOptions; readonly cli: Cli },
): void {
  const value = {
    head,
    previousHead,
    ...(warning === undefined ? {} : { warning }),
    steps: steps.map((step) => ({ id: step.id, title: snapshotTitle(step) })),
  };
  const printer = cli.printer(options);
  printer.result(value, () =>
    [
      ...(steps.length > 0
        ? steps.map((step) => snapshotTitle(step))
        : ['what no snapshot had room for']
      ).map((title) => `${verb}: ${title}`),
      `HEAD is ${shortId(head)} now: ${snapshotTitle(target)}`,
    ].join('\n'),
  );
  printer.warn(value);
  noteEnded(opened.place, printer);
}

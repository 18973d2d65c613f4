import type { Command } from 'commander';
import { SandboxError } from '../../protocol/errors.ts';
import { type MovedSteps, redoSteps, undoSteps } from '../../sdk/undo/move-steps.ts';
import { undoneTag } from '../../sdk/undo/steps.ts';
import type { Cli, OpenedSandbox, SharedOptions } from '../cli.ts';
import { changeLines } from '../compare/change-lines.ts';
import { addExamples } from '../examples.ts';
import { withQuestion } from '../history/ask-to-take-all.ts';
import { conflictLines } from '../history/conflict-lines.ts';
import { snapshotTitle } from '../history/describe-snapshot.ts';
import { noteEnded } from '../history/note-ended.ts';
import { shortId } from '../history/snapshot-value.ts';
import { parseCount } from '../options/parse-count.ts';
import { Style } from '../output/style.ts';

/** Of a sandbox; programs in a folder that has a history run on. */
const ends = 'every process ends, a supervised one starts again';
const undoRemedy = 'coppice log shows the history';
const redoRemedy = `coppice checkout ${undoneTag} goes there, coppice merge ${undoneTag} brings both together`;

interface UndoOptions extends SharedOptions {
  readonly takeAll?: boolean;
  readonly continue?: boolean;
  readonly abort?: boolean;
}

export function addUndo(program: Command, cli: Cli): void {
  const undoing = program
    .command('undo')
    .description(
      'take back the last steps, and nothing else: tool calls of an agent that is wrapped, else snapshots',
    )
    .argument('[count]', 'how many', parseCount)
    .option('--take-all', 'also where what was changed since in the same place goes with it')
    .option('--continue', 'end what was interrupted while it wrote to a folder')
    .option('--abort', 'put back what the folder had before that')
    .action((count: number | undefined, options: UndoOptions) => undo(count, options, cli));
  addExamples(undoing, [
    ['coppice undo', `the files as they were before the last step; ${ends}`],
    ['coppice undo 3', 'before the last three'],
    ['coppice undo --in-place ~/project', 'of a folder whose history is kept, from anywhere'],
    ['coppice undo --continue', 'after an undo of a folder that was killed'],
  ]);
  const redoing = program
    .command('redo')
    .description('do what was undone again, and keep what was changed since')
    .argument('[count]', 'how many steps', parseCount, 1)
    .option('--take-all', 'also where what was changed since in the same place goes with it')
    .action((count: number, options: UndoOptions) => redo(count, options, cli));
  addExamples(redoing, [
    ['coppice redo', `the last step that was undone; ${ends}`],
    ['coppice redo 3', 'three of them'],
  ]);
}

async function undo(count: number | undefined, options: UndoOptions, cli: Cli): Promise<void> {
  const { continue: goesOn, abort } = options;
  if (goesOn || abort) {
    if (count !== undefined || (goesOn && abort))
      throw new SandboxError('invalid-argument', 'Give --continue or --abort, and no count');
    const { endInterrupted } = await import('../history/end-interrupted.ts');
    return endInterrupted(goesOn ? 'continue' : 'abort', options, cli);
  }
  await using opened = await cli.openSandbox(options);
  const { sandbox } = opened;
  const undone = await withQuestion(options, cli, (all) =>
    undoSteps(sandbox, { count: count ?? 1, remedy: undoRemedy, ...all }),
  );
  printMove({ verb: 'Undone', ...undone }, { opened, options, cli });
  const { length } = undone.steps;
  if (!options.json) cli.printer(options).note(`The way back: coppice redo${length > 1 ? ` ${length}` : ''}`);
}

async function redo(count: number, options: UndoOptions, cli: Cli): Promise<void> {
  await using opened = await cli.openSandbox(options);
  const { sandbox } = opened;
  const redone = await withQuestion(options, cli, (all) =>
    redoSteps(sandbox, { count, remedy: redoRemedy, ...all }),
  );
  printMove({ verb: 'Done again', ...redone }, { opened, options, cli });
}

interface Move extends MovedSteps {
  readonly verb: string;
}

function printMove(
  { verb, steps, target, head, previousHead, changes, settled, warning }: Move,
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
    changes,
    settled,
  };
  const printer = cli.printer(options);
  const style = new Style(cli.context);
  const stays = head === target.id ? '' : ', with what was changed since';
  printer.result(value, () =>
    [
      ...(steps.length > 0
        ? steps.map((step) => snapshotTitle(step))
        : ['what no snapshot had room for']
      ).map((title) => `${verb}: ${title}`),
      ...changeLines(changes, { style, whole: `coppice diff ${shortId(previousHead)} ${shortId(head)}` }),
      ...(settled.length > 0 ? ['Lost with it, and in the history:', ...conflictLines(settled)] : []),
      `HEAD is ${shortId(head)} now: ${snapshotTitle(target)}${stays}`,
    ].join('\n'),
  );
  printer.warn(value);
  noteEnded(opened.place, printer);
}

import type { Command } from 'commander';
import { SandboxError } from '../../protocol/errors.ts';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import type { Sandbox } from '../../sdk/sandbox.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { ancestorsOf } from '../history/ancestors.ts';
import { snapshotTitle } from '../history/describe-snapshot.ts';
import { notePreviousHead } from '../history/references.ts';
import { shortId } from '../history/snapshot-value.ts';
import { planRedo, planUndo, undoneTag } from '../history/steps.ts';
import { parseCount } from '../options/parse-count.ts';

export function addUndo(program: Command, cli: Cli): void {
  const undoing = program
    .command('undo')
    .description('take back the last steps: tool calls of an agent that is wrapped, else snapshots')
    .argument('[count]', 'how many', parseCount, 1)
    .action((count: number, options: SharedOptions) => undo(count, options, cli));
  addExamples(undoing, [
    ['coppice undo', 'the files as they were before the last step'],
    ['coppice undo 3', 'before the last three'],
    ['coppice undo --in-place ~/project', 'of a folder whose history is kept, from anywhere'],
  ]);
  const redoing = program
    .command('redo')
    .description('do what was undone again')
    .argument('[count]', 'how many steps', parseCount, 1)
    .action((count: number, options: SharedOptions) => redo(count, options, cli));
  addExamples(redoing, [
    ['coppice redo', 'the last step that was undone'],
    ['coppice redo 3', 'three of them'],
  ]);
}

async function undo(count: number, options: SharedOptions, cli: Cli): Promise<void> {
  await using opened = await cli.openSandbox(options);
  const { sandbox } = opened;
  await noteChanges(sandbox);
  const before = await sandbox.history.get();
  const { target, steps } = planUndo(before, count);
  const { head, previousHead } = await sandbox.checkout(target.id);
  await notePreviousHead(sandbox, previousHead);
  await noteUndone(sandbox, { headBefore: before.head, previousHead });
  tell({ verb: 'Undone', steps, head, previousHead, target }, options, cli);
  if (!options.json)
    cli.printer(options).note(`The way back: coppice redo${steps.length > 1 ? ` ${steps.length}` : ''}`);
}

async function redo(count: number, options: SharedOptions, cli: Cli): Promise<void> {
  await using opened = await cli.openSandbox(options);
  const { sandbox } = opened;
  // After a change since the undo there is nothing to go forward to.
  await noteChanges(sandbox);
  const { target, steps } = planRedo(await sandbox.history.get(), count);
  const { head, previousHead } = await sandbox.checkout(target.id);
  await notePreviousHead(sandbox, previousHead);
  tell({ verb: 'Done again', steps, head, previousHead, target }, options, cli);
}

/** What has changed since the last step becomes a snapshot. Where a machine does not answer, a checkout ends it and saves what there is. */
async function noteChanges(sandbox: Sandbox): Promise<void> {
  try {
    await sandbox.createSnapshot({ ifChanged: true });
  } catch (error) {
    if (SandboxError.from(error).code !== 'timeout') throw error;
  }
}

/** Several in a row lead back to the newest. */
async function noteUndone(
  sandbox: Sandbox,
  { headBefore, previousHead }: { readonly headBefore: string; readonly previousHead: SnapshotInfo['id'] },
): Promise<void> {
  const view = await sandbox.history.get();
  const undone = view.snapshots.find(({ tags }) => tags.includes(undoneTag));
  const isFurther = undone !== undefined && ancestorsOf(view, undone.id).some(({ id }) => id === headBefore);
  if (isFurther && previousHead === headBefore) return;
  await sandbox.history.setTag(undoneTag, previousHead);
}

interface Moved {
  readonly verb: string;
  readonly steps: readonly SnapshotInfo[];
  readonly target: SnapshotInfo;
  readonly head: string;
  readonly previousHead: string;
}

function tell({ verb, steps, target, head, previousHead }: Moved, options: SharedOptions, cli: Cli): void {
  const value = {
    head,
    previousHead,
    steps: steps.map((step) => ({ id: step.id, title: snapshotTitle(step) })),
  };
  cli
    .printer(options)
    .result(value, () =>
      [
        ...steps.map((step) => `${verb}: ${snapshotTitle(step)}`),
        `HEAD is ${shortId(head)} now: ${snapshotTitle(target)}`,
      ].join('\n'),
    );
}

import type { Command } from 'commander';
import { notePreviousHead, previousHeadTag } from '../../sdk/undo/previous-head.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { snapshotTitle } from '../history/describe-snapshot.ts';
import { noteEnded } from '../history/note-ended.ts';
import { findSnapshot, referenceHelp } from '../history/references.ts';
import { shortId } from '../history/snapshot-value.ts';

interface CheckoutOptions extends SharedOptions {
  readonly discard?: boolean;
}

export function addCheckout(program: Command, cli: Cli): void {
  const command = program
    .command('checkout')
    .description('put all files back as they were in a snapshot; what is there now is a snapshot first')
    .argument('<ref>', `${referenceHelp}; or -, what the last checkout left`)
    .option('--discard', 'give up what changed since HEAD instead of saving it, for a disk that is full')
    .action((reference: string, options: CheckoutOptions) => checkout(reference, options, cli));
  addExamples(command, [
    ['coppice checkout good', 'back to the tag good; every process ends, a supervised one starts again'],
    ['coppice checkout -', `undo that: back to what it left, which is the tag ${previousHeadTag}`],
    ['coppice checkout HEAD --discard', 'drop what no snapshot has'],
  ]);
}

async function checkout(
  reference: string,
  { discard, ...options }: CheckoutOptions,
  cli: Cli,
): Promise<void> {
  await using opened = await cli.openSandbox(options);
  const { sandbox } = opened;
  const target = findSnapshot(await sandbox.history.get(), reference);
  const moved = await notePreviousHead(sandbox, await sandbox.checkout(target.id, { discard }));
  const { head, previousHead, warning } = moved;
  const printer = cli.printer(options);
  printer.result(moved, () => `HEAD is ${shortId(head)} now: ${snapshotTitle(target)}`);
  printer.warn(moved);
  noteEnded(opened.place, printer);
  const back = warning === undefined ? '-' : shortId(previousHead);
  if (!printer.isJson) printer.note(`The way back: coppice checkout ${back}`);
}

import { type Command, Option } from 'commander';
import { errorTable, SandboxError } from '../../protocol/errors.ts';
import type { MergeResult, MergeSide } from '../../protocol/sandbox/history.ts';
import type { Sandbox } from '../../sdk/sandbox.ts';
import { notePreviousHead, type Warned } from '../../sdk/undo/previous-head.ts';
import type { Cli, OpenedSandbox, SharedOptions } from '../cli.ts';
import { CliExit } from '../cli-exit.ts';
import { addExamples } from '../examples.ts';
import { conflictLines, conflictsOf } from '../history/conflict-lines.ts';
import { noteEnded } from '../history/note-ended.ts';
import { findSnapshot, referenceHelp } from '../history/references.ts';
import { shortId } from '../history/snapshot-value.ts';
import { plainLines } from '../output/plain-text.ts';
import { findSandbox } from '../place/find-sandbox.ts';
import { withProgress } from '../transfer/file-ends.ts';

interface MergeOptions extends SharedOptions {
  readonly message?: string;
  readonly prefer?: MergeSide;
  /** Another sandbox, by its name or id. */
  readonly from?: string;
}

export function addMerge(program: Command, cli: Cli): void {
  const command = program
    .command('merge')
    .description(
      'bring the changes of another branch together with the files as they are: all, or none of them',
    )
    .argument('[ref]', referenceHelp)
    .option('--from <name>', 'another sandbox as it is now instead, such as a fork; its history comes along')
    .option('-m, --message <text>', 'what the merge is called')
    .addOption(
      new Option('--prefer <side>', 'whose change is taken where both have changed the same').choices([
        'ours',
        'theirs',
      ]),
    )
    .action((reference: string | undefined, options: MergeOptions) => merge(reference, options, cli));
  addExamples(command, [
    ['coppice merge tried', 'files that one side changed are taken from it, texts are merged line by line'],
    ['coppice merge tried --prefer theirs', 'and where both changed the same place, what the branch has'],
    ['coppice merge --from fork-1', 'what was done in a fork'],
    ['coppice checkout -', 'undo it'],
  ]);
}

async function merge(
  reference: string | undefined,
  { message, prefer, from, ...options }: MergeOptions,
  cli: Cli,
): Promise<void> {
  if ((reference === undefined) === (from === undefined))
    throw new SandboxError(
      'invalid-argument',
      'Cannot merge: give either a snapshot, or a sandbox with --from',
    );
  await using opened = await cli.openSandbox(options);
  const { sandbox } = opened;
  try {
    await using other = from === undefined ? undefined : await openOther(from, opened);
    const merged = other ?? findSnapshot(await sandbox.history.get(), reference ?? '').id;
    const done = await withProgress('merge', { context: cli.context, quiet: options.quiet }, (report) =>
      sandbox.merge(merged, { label: message, prefer, onProgress: (bytes) => report.bytes(bytes, 0) }),
    );
    const result: MergeResult & Warned =
      done.outcome === 'up-to-date' ? done : await notePreviousHead(sandbox, done);
    const printer = cli.printer(options);
    printer.result(result, () => outcomeText(result));
    printer.warn(result);
    if (result.outcome !== 'up-to-date') noteEnded(opened.place, printer);
  } catch (error) {
    const conflicts = conflictsOf(error);
    // As JSON, the error has them in its details.
    if (conflicts.length === 0 || options.json) throw error;
    cli.context.stdout.write(`${conflictLines(conflicts).join('\n')}\n`);
    cli.printer(options).note(`coppice: ${plainLines(SandboxError.from(error).message)}`);
    throw new CliExit(errorTable.conflict.exitCode);
  }
}

/** @throws not-found, invalid-argument for the sandbox itself */
async function openOther(name: string, { place, sandbox }: OpenedSandbox): Promise<Sandbox> {
  const { id } = await findSandbox(place.backend, name);
  if (id === sandbox.id)
    throw new SandboxError('invalid-argument', `Cannot merge ${name} into itself: name another sandbox`);
  const { Sandbox } = await import('../../sdk/sandbox.ts');
  return Sandbox.open(id, { backend: place.backend });
}

function outcomeText({ outcome, head, settled }: MergeResult): string {
  if (outcome === 'up-to-date') return 'Nothing to do: HEAD has all of it already';
  const how = outcome === 'fast-forward' ? 'nothing was changed here, so HEAD is that snapshot' : 'merged';
  return [`HEAD is ${shortId(head)} now: ${how}`, ...conflictLines(settled)].join('\n');
}

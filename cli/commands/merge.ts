import { type Command, Option } from 'commander';
import { errorTable, SandboxError } from '../../protocol/errors.ts';
import type { MergeConflict, MergeResult, MergeSide } from '../../protocol/sandbox/history.ts';
import { isObject } from '../../protocol/schema.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { CliExit } from '../cli-exit.ts';
import { addExamples } from '../examples.ts';
import { findSnapshot, notePreviousHead, referenceHelp } from '../history/references.ts';
import { shortId } from '../history/snapshot-value.ts';
import { inColumns } from '../output/columns.ts';
import { plainLines, plainText } from '../output/plain-text.ts';

interface MergeOptions extends SharedOptions {
  readonly message?: string;
  readonly prefer?: MergeSide;
}

export function addMerge(program: Command, cli: Cli): void {
  const command = program
    .command('merge')
    .description(
      'bring the changes of another branch together with the files as they are: all, or none of them',
    )
    .argument('<ref>', referenceHelp)
    .option('-m, --message <text>', 'what the merge is called')
    .addOption(
      new Option('--prefer <side>', 'whose change is taken where both have changed the same').choices([
        'ours',
        'theirs',
      ]),
    )
    .action((reference: string, options: MergeOptions) => merge(reference, options, cli));
  addExamples(command, [
    ['coppice merge tried', 'files that one side changed are taken from it, texts are merged line by line'],
    ['coppice merge tried --prefer theirs', 'and where both changed the same place, what the branch has'],
    ['coppice checkout -', 'undo it'],
  ]);
}

async function merge(
  reference: string,
  { message, prefer, ...options }: MergeOptions,
  cli: Cli,
): Promise<void> {
  await using opened = await cli.openSandbox(options);
  const { sandbox } = opened;
  const { id } = findSnapshot(await sandbox.history.get(), reference);
  try {
    const result = await sandbox.merge(id, { label: message, prefer });
    if (result.outcome !== 'up-to-date') await notePreviousHead(sandbox, result.previousHead);
    cli.printer(options).result(result, () => outcomeText(result));
  } catch (error) {
    const conflicts = conflictsOf(error);
    // As JSON, the error has them in its details.
    if (conflicts.length === 0 || options.json) throw error;
    cli.context.stdout.write(`${conflictLines(conflicts).join('\n')}\n`);
    cli.printer(options).note(`coppice: ${plainLines(SandboxError.from(error).message)}`);
    throw new CliExit(errorTable.conflict.exitCode);
  }
}

function outcomeText({ outcome, head, settled }: MergeResult): string {
  if (outcome === 'up-to-date') return 'Nothing to do: HEAD has all of it already';
  const how = outcome === 'fast-forward' ? 'nothing was changed here, so HEAD is that snapshot' : 'merged';
  return [`HEAD is ${shortId(head)} now: ${how}`, ...conflictLines(settled)].join('\n');
}

function conflictsOf(error: unknown): readonly MergeConflict[] {
  const { code, details } = SandboxError.from(error);
  if (code !== 'conflict' || !Array.isArray(details.conflicts)) return [];
  return details.conflicts.filter(isConflict);
}

function isConflict(value: unknown): value is MergeConflict {
  return isObject(value) && typeof value.path === 'string' && typeof value.kind === 'string';
}

function conflictLines(conflicts: readonly MergeConflict[]): string[] {
  return inColumns(conflicts.map(({ kind, path }) => [plainText(kind), plainText(path)]));
}

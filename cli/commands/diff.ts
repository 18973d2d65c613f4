import type { Command } from 'commander';
import { SandboxError } from '../../protocol/errors.ts';
import type { Change, HistoryView } from '../../protocol/sandbox/history.ts';
import type { TreeRef } from '../../protocol/sandbox/refs.ts';
import type { Sandbox } from '../../sdk/sandbox.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { CliExit } from '../cli-exit.ts';
import { changeLine, changesBelow, lettersHelp } from '../compare/change-lines.ts';
import { addExamples } from '../examples.ts';
import { findSnapshot } from '../history/references.ts';
import { inColumns } from '../output/columns.ts';
import { Style } from '../output/style.ts';
import { writeOut } from '../output/write-out.ts';

interface DiffOptions extends SharedOptions {
  readonly patch?: boolean;
  readonly stat?: boolean;
  readonly exitCode?: boolean;
}

export function addDiff(program: Command, cli: Cli): void {
  const command = program
    .command('diff')
    .description('what differs from one snapshot to another, or to now: paths, text or numbers of lines')
    .argument(
      '[what...]',
      `up to two references or now, HEAD and now by default; then paths, which begin with /. ${lettersHelp}`,
    )
    .option('-p, --patch', 'the text that differs, in the unified format, for patch -p1 and git apply')
    .option('--stat', 'how many lines each file gained and lost')
    .option('--exit-code', 'end with 1 where something differs')
    .action((words: readonly string[], options: DiffOptions) => diff(words, options, cli));
  addExamples(command, [
    ['coppice diff', 'what no snapshot has yet'],
    ['coppice diff good', 'what has changed since the tag good'],
    ['coppice diff good HEAD --stat /srv', 'from one snapshot to another, below /srv only'],
    ['coppice diff good --patch | git apply', 'the same changes, in a repository of this host'],
  ]);
}

async function diff(words: readonly string[], options: DiffOptions, cli: Cli): Promise<void> {
  const references = words.filter((word) => !word.startsWith('/'));
  const paths = words.filter((word) => word.startsWith('/'));
  const [first = 'HEAD', second = 'now', excess] = references;
  if (excess !== undefined) {
    throw new SandboxError(
      'invalid-argument',
      `Cannot compare ${references.length} snapshots: give two at most. Paths begin with /`,
    );
  }
  await using opened = await cli.openToLook(options);
  const { sandbox } = opened;
  const view = await sandbox.history.get();
  const trees = { from: treeOf(view, first), to: treeOf(view, second) };
  const changes = changesBelow(await sandbox.diff(trees.from, trees.to), paths);
  if (options.patch || options.stat) await printContent(sandbox, { changes, trees, options, cli });
  else printChanges(changes, options, cli);
  if (options.exitCode && changes.length > 0) throw new CliExit(1);
}

function treeOf(view: HistoryView, word: string): TreeRef {
  return word === 'now' ? word : findSnapshot(view, word).id;
}

function printChanges(changes: readonly Change[], options: DiffOptions, cli: Cli): void {
  const style = new Style(cli.context);
  const lines = changes.map((change) => (options.json ? JSON.stringify(change) : changeLine(change, style)));
  if (lines.length > 0) cli.context.stdout.write(`${lines.join('\n')}\n`);
}

async function printContent(
  sandbox: Sandbox,
  parts: {
    readonly changes: readonly Change[];
    readonly trees: { readonly from: TreeRef; readonly to: TreeRef };
    readonly options: DiffOptions;
    readonly cli: Cli;
  },
): Promise<void> {
  const { changes, trees, options, cli } = parts;
  const { compareFile } = await import('../../shell/patches/compare-file.ts');
  const { patchText } = await import('../../shell/patches/patch-text.ts');
  const { patchOutput, statRow } = await import('../compare/write-patch.ts');
  const style = new Style(cli.context);
  const { stdout, signal } = cli.context;
  const rows: string[][] = [];
  for (const change of changes) {
    if (change.isDirectory) continue;
    const comparison = await compareFile(sandbox.connection.files, change, { ...trees, signal });
    const { type, added, deleted } = comparison;
    const patch = options.patch ? patchText(change, comparison) : undefined;
    if (options.stat) rows.push(statRow(change, comparison));
    if (options.json) {
      const text = patch?.toWellFormed();
      const value = {
        ...change,
        content: type,
        added,
        deleted,
        ...(text === undefined ? {} : { patch: text }),
      };
      await writeOut(stdout, `${JSON.stringify(value)}\n`);
    } else if (patch !== undefined) {
      await writeOut(stdout, patchOutput(patch, style));
    }
  }
  if (options.json || rows.length === 0) return;
  stdout.write(
    `${inColumns(rows)
      .map((line) => style.line([line]))
      .join('\n')}\n`,
  );
}

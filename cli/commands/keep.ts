import type { Command } from 'commander';
import { SandboxError } from '../../protocol/errors.ts';
import type { HistoryView, KeepPolicy, PruneResult } from '../../protocol/sandbox/history.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { snapshotTitle } from '../history/describe-snapshot.ts';
import { policyText } from '../history/keep-policy.ts';
import { shortId, snapshotValue } from '../history/snapshot-value.ts';
import { parseCount } from '../options/parse-count.ts';
import { agoText, bytesText, countText } from '../output/amounts.ts';
import { confirm } from '../output/confirm.ts';
import { Style } from '../output/style.ts';

interface KeepOptions extends SharedOptions {
  readonly last?: number;
  readonly hourly?: number;
  readonly daily?: number;
  readonly usual?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export function addKeep(program: Command, cli: Cli): void {
  const command = program
    .command('keep')
    .description(
      'say which older snapshots are kept from now on, and forget the others; or tell what is kept',
    )
    .option('--last <count>', 'the newest so many', parseCount)
    .option('--hourly <count>', 'then the newest of each hour, for so many hours', parseCount)
    .option('--daily <count>', 'then the newest of each day, for so many days', parseCount)
    .option('--usual', 'as a new sandbox does it by itself')
    .option('-n, --dry-run', 'change nothing, and list what would be forgotten')
    .option('-y, --yes', 'forget without asking')
    .action((options: KeepOptions) => keep(options, cli));
  addExamples(command, [
    ['coppice keep', 'what is kept of this sandbox'],
    ['coppice keep --last 100 --hourly 24 --daily 30 --dry-run', 'what that would forget'],
    ['coppice keep --last 100 --hourly 24 --daily 30', 'asks, forgets it, and goes on so'],
    ['coppice keep --usual', 'no policy of its own any more'],
  ]);
}

async function keep(options: KeepOptions, cli: Cli): Promise<void> {
  const policy = policyOf(options);
  if (!policy && !options.usual && !options.dryRun) return tell(options, cli);
  await using opened = await cli.openSandbox(options);
  const { history } = opened.sandbox;
  const view = await history.get();
  if (options.usual && !options.dryRun) {
    await history.setRetention(undefined);
    cli.printer(options).result({}, () => 'The history thins out by itself, as that of a new sandbox');
    return;
  }
  if (!options.dryRun && !options.yes)
    await askToForget(await history.prune({ policy, dryRun: true }), view, cli);
  const result = await history.prune({ policy, dryRun: options.dryRun === true });
  // Only once it was accepted and carried out.
  if (policy && !options.dryRun) await history.setRetention(policy);
  print(result, { view, options, cli });
}

/** Steps of an agent and commits are named, and what is forgotten of them no `undo` goes back to. @throws as `confirm` */
async function askToForget({ forgotten }: PruneResult, { snapshots }: HistoryView, cli: Cli): Promise<void> {
  if (forgotten.length === 0) return;
  const gone = new Set<string>(forgotten);
  const named = snapshots.filter(({ id, cause }) => gone.has(id) && cause.type === 'manual' && cause.label);
  const [newest] = named.toSorted((a, b) => b.takenAtMs - a.takenAtMs);
  const among = newest ? `, ${named.length} of them with a name, such as "${snapshotTitle(newest)}",` : '';
  await confirm(`Forget ${countText(forgotten.length, 'snapshot')}${among} for good?`, cli.context);
}

/** Numbers that are not given are 0. @throws invalid-argument */
function policyOf({ last, hourly, daily, usual }: KeepOptions): KeepPolicy | undefined {
  if (last === undefined && hourly === undefined && daily === undefined) return undefined;
  if (usual) throw new SandboxError('invalid-argument', 'Give either --usual or how many are kept, not both');
  return { last: last ?? 0, hourly: hourly ?? 0, daily: daily ?? 0 };
}

async function tell(options: KeepOptions, cli: Cli): Promise<void> {
  await using opened = await cli.openToRead(options);
  const { retention, snapshots } = await opened.sandbox.history.get();
  const value = { ...(retention ? { policy: retention } : {}), snapshots: snapshots.length };
  cli
    .printer(options)
    .result(
      value,
      () =>
        `${countText(snapshots.length, 'snapshot')}; kept: ${retention ? policyText(retention) : 'what thinning out by itself leaves'}`,
    );
}

function print(
  result: PruneResult,
  { view, options, cli }: { readonly view: HistoryView; readonly options: KeepOptions; readonly cli: Cli },
): void {
  const printer = cli.printer(options);
  const { forgotten, kept, freedBytes } = result;
  const gone = new Set<string>(forgotten);
  const snapshots = view.snapshots.filter(({ id }) => gone.has(id));
  if (printer.isJson) {
    printer.result(
      { ...result, forgotten: snapshots.map((each) => snapshotValue(each, view.head)) },
      () => '',
    );
    return;
  }
  const style = new Style(cli.context);
  const nowMs = Date.now();
  if (options.dryRun) {
    for (const snapshot of snapshots) {
      const age = agoText(snapshot.takenAtMs, nowMs).padEnd(6);
      const line = [['yellow', shortId(snapshot.id)] as const, `  ${age}  ${snapshotTitle(snapshot)}`];
      printer.result(snapshot, () => style.line(line));
    }
    printer.note(`${countText(forgotten.length, 'snapshot')} would be forgotten, ${kept} kept`);
    return;
  }
  printer.result(
    result,
    () =>
      `${countText(forgotten.length, 'snapshot')} forgotten, ${kept} kept, ${bytesText(freedBytes)} freed`,
  );
}

import type { Command } from 'commander';
import { quoteWords } from '../../protocol/quote-words.ts';
import { describeRuntime } from '../../protocol/runtime-description.ts';
import type { HistoryView } from '../../protocol/sandbox/history.ts';
import type { SandboxInfo, StorageInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { CaptureWatch } from '../../protocol/sandbox-report.ts';
import { tipsOf } from '../../sdk/undo/ancestors.ts';
import type { Cli, OpenedSandbox, SharedOptions } from '../cli.ts';
import type { FolderServer } from '../control/who-serves.ts';
import { addExamples } from '../examples.ts';
import { countsOf, snapshotTitle } from '../history/describe-snapshot.ts';
import { policyText } from '../history/keep-policy.ts';
import { isoTime, shortId } from '../history/snapshot-value.ts';
import { bytesText, countText } from '../output/amounts.ts';
import { inColumns } from '../output/columns.ts';
import { plainText } from '../output/plain-text.ts';
import { Style } from '../output/style.ts';

/** Everything on the screen. */
interface Status {
  readonly info: SandboxInfo;
  readonly view: HistoryView;
  readonly storage: StorageInfo;
  readonly place: OpenedSandbox['place'];
  /** Whoever serves the folder. */
  readonly server: FolderServer | undefined;
  /** Whoever else has the folder, such as a command that runs just now. */
  readonly heldBy: string | undefined;
  /** How changes are found that no command tells of; of a sandbox that runs. */
  readonly watch: CaptureWatch | undefined;
}

/** Paths that are named of what no snapshot has yet. */
const pendingPaths = 5;

export function addStatus(program: Command, cli: Cli): void {
  const command = program
    .command('status')
    .description('one screen: what the sandbox is, where its history stands, what is not saved yet, its disk')
    .action(async (options: SharedOptions) => {
      await using opened = await cli.openToLook(options);
      const { sandbox, place } = opened;
      const { connection, history } = sandbox;
      const [info, view, storage, server, report] = await Promise.all([
        infoOf(opened),
        history.get(),
        sandbox.storage(),
        place.type === 'served' ? askServer(place.name) : undefined,
        connection.info.report(),
      ]);
      const status = { info, view, storage, place, server, heldBy: place.heldBy?.(), watch: report.watch };
      cli.printer(options).result(statusValue(status), () => statusText(status, new Style(cli.context)));
    });
  addExamples(command, [
    ['coppice status', 'how the sandbox default is doing'],
    ['coppice status -s other --json', 'another one, for programs'],
  ]);
}

/** With what is not saved of one that nobody has open: only the list of all tells it. */
async function infoOf({ sandbox, place }: OpenedSandbox): Promise<SandboxInfo> {
  const info = await sandbox.connection.info.get();
  if (place.type !== 'folder') return info;
  const { unsaved } = (await place.backend.list()).find(({ id }) => id === info.id) ?? {};
  return unsaved ? { ...info, unsaved } : info;
}

async function askServer(folder: string): Promise<FolderServer | undefined> {
  const { whoServes } = await import('../control/who-serves.ts');
  return whoServes(folder);
}

function statusValue({ info, view, storage, place, server, heldBy, watch }: Status): object {
  const { snapshots, head, pending, retention } = view;
  return {
    place: {
      type: place.type,
      name: place.name,
      ...(server ? { server } : {}),
      ...(heldBy === undefined ? {} : { heldBy }),
    },
    info: { ...info, createdAt: isoTime(info.createdAtMs) },
    head,
    snapshots: snapshots.length,
    branches: tipsOf(view).length,
    pending,
    storage,
    ...(watch ? { watch } : {}),
    ...(retention ? { retention } : {}),
  };
}

function statusText(status: Status, style: Style): string {
  const { info, view } = status;
  const rows = [
    ['sandbox', `${plainText(info.name)}  ${info.id}`],
    ['kept in', placeText(status)],
    ...supervisedRows(status.server),
    ['runs in', runtimeText(info)],
    ...limitRows(info),
    ...headRows(view),
    ...watchRows(status.watch),
    ...(info.ignore
      ? [['ignored', `${info.ignore.map(plainText).join(', ')} (saved with the next snapshot)`]]
      : []),
    ...diskRows(status),
    ['retention', view.retention ? policyText(view.retention) : 'thins out by itself'],
    ...(info.unsaved
      ? [['unsaved', `since ${isoTime(info.unsaved.sinceMs)}: ${plainText(info.unsaved.message)}`]]
      : []),
  ];
  return inColumns(rows)
    .map((line) => style.line([line]))
    .join('\n');
}

function placeText({ place, server, heldBy }: Status): string {
  if (place.type === 'served')
    return `${place.name}, served by ${server ? `process ${server.pid}` : 'another process'}`;
  if (place.type === 'bridge') return place.name;
  if (place.type === 'history')
    return `the history of ${place.name}, a folder of this host, without a sandbox`;
  return `${place.name}, ${heldBy === undefined ? 'which nobody holds now' : `held by ${heldBy}`}`;
}

function supervisedRows(server: FolderServer | undefined): string[][] {
  if (!server?.supervised) return [];
  const { command, state, restarts } = server.supervised;
  const again = restarts > 0 ? `, started again ${countText(restarts, 'time')}` : '';
  return [['supervised', `${plainText(quoteWords(command))}: ${plainText(state)}${again}`]];
}

function runtimeText({ runtime, image, isolation, network, allow, architecture }: SandboxInfo): string {
  if (!(describeRuntime(runtime)?.confines ?? true))
    return 'no sandbox: programs work in the folder itself, without walls';
  const parts = [
    runtime,
    image === '' ? '' : `image ${plainText(image)}`,
    architecture ?? '',
    isolation === undefined ? '' : `isolation ${isolation}`,
    network === undefined ? '' : `network ${allow ? `to ${plainText(allow.join(' '))} only` : network}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function limitRows({ memoryMiB, cpus, pids, notHeld = [], expiresAtMs }: SandboxInfo): string[][] {
  const parts = [
    memoryMiB > 0 ? `memory ${bytesText(memoryMiB * 1_048_576)}` : '',
    cpus === undefined ? '' : countText(cpus, 'processor'),
    pids === undefined ? '' : `${pids} processes`,
    notHeld.length > 0 ? `not held here: ${notHeld.join(', ')}` : '',
  ].filter((part) => part !== '');
  return [
    ...(parts.length > 0 ? [['limits', parts.join(', ')]] : []),
    ...(expiresAtMs === undefined ? [] : [['ends', isoTime(expiresAtMs) ?? '']]),
  ];
}

function headRows(view: HistoryView): string[][] {
  const { snapshots, head, pending } = view;
  const snapshot = snapshots.find(({ id }) => id === head);
  const tips = tipsOf(view);
  const isTip = tips.some(({ id }) => id === head);
  const position = isTip ? 'at the end of its branch' : 'inside a branch: what comes next begins another';
  const all = `${countText(snapshots.length, 'snapshot')}, ${countText(tips.length, 'branch', 'branches')}`;
  const paths = pending.paths.slice(0, pendingPaths).map(plainText).join(', ');
  const more = pending.paths.length > pendingPaths ? ', …' : '';
  const changed = pending.paths.length === 0 ? 'nothing' : `${countsOf(pending)}  ${paths}${more}`.trim();
  return [
    ['head', snapshot ? `${shortId(head)}  ${snapshotTitle(snapshot)}` : shortId(head)],
    ...(snapshot ? [['', `taken ${isoTime(snapshot.takenAtMs)}, ${position}`]] : []),
    ...(snapshot && !snapshot.coverage.files.captured
      ? [['left out', plainText(snapshot.coverage.files.why)]]
      : []),
    ['history', all],
    ['not saved', changed],
  ];
}

function watchRows(watch: CaptureWatch | undefined): string[][] {
  if (watch === undefined) return [];
  const { by, why, watches, limit } = watch;
  const count =
    watches === undefined ? '' : `, ${countText(watches, 'directory', 'directories')} of ${limit}`;
  const reason = why === undefined ? '' : ` (${plainText(why)})`;
  const texts = {
    fanotify: 'the kernel tells of every change (fanotify)',
    inotify: `the kernel tells of changes in each directory (inotify${count})`,
    polling: 'none: its files are looked at every few seconds',
  };
  return [['watches', `${texts[by]}${reason}`]];
}

function diskRows({ info, storage }: Status): string[][] {
  const { storedBytes, usageBytes, quotaBytes, stopped } = storage;
  const { diskMiB, diskHeldBy } = info;
  const limit = diskMiB > 0 ? `, its files may take ${bytesText(diskMiB * 1_048_576)}` : '';
  const held = diskHeldBy === undefined ? '' : ` (held by ${diskHeldBy})`;
  const disk = quotaBytes > 0 ? `${bytesText(usageBytes)} of ${bytesText(quotaBytes)} used` : '';
  return [
    ['stored', `${bytesText(storedBytes)} of history${limit}${held}`],
    ...(disk === '' ? [] : [['disk', disk]]),
    ...(stopped ? [['STOPPED', `no snapshots are taken: ${plainText(stopped.message)}`]] : []),
  ];
}

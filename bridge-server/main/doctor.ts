import { join } from 'node:path';
import { type Architecture, architectures } from '../../protocol/architecture.ts';
import type { CaptureWatch } from '../../protocol/sandbox-report.ts';
import type { DoctorRow } from '../host-runtime.ts';
import type { Privileges } from '../privileges.ts';
import { probeBtrfs } from '../roots/btrfs/probe-btrfs.ts';
import { type FoundQuotas, probeQuotas } from '../roots/probe-quotas.ts';
import { abilitiesOf } from '../roots/supported-metadata.ts';
import { type ChosenIsolation, ownIdLacks } from '../runtimes/jail/choose-isolation.ts';
import { probeLimits } from '../runtimes/jail/control-groups/probe-limits.ts';
import { probeCores } from '../runtimes/jail/probe-cores.ts';
import { probeHost } from '../runtimes/jail/probe-host.ts';
import { whatNetworkLacks } from '../runtimes/jail/probe-network.ts';
import { whatProgramsLack } from '../runtimes/jail/probe-programs.ts';
import { probeWatches } from '../watch/probe-watches.ts';
import { examineRuntimes } from './host-runtimes.ts';
import { whatIdRangeLacks } from './id-range.ts';
import { type NetworkChoice, switchedOff } from './open-host.ts';

type Finding = { readonly type: 'works' } | { readonly type: 'missing'; readonly reason: string };

/** What this host can, found out by doing it, one row for each thing that may be missing. */
export async function doctor({
  launcher,
  watcher,
  folder,
  chosen,
  network = {},
  traces,
}: {
  readonly launcher: string;
  /** guest/watch. */
  readonly watcher: string;
  /** What keeps the jails of this bridge from the host. */
  readonly chosen: ChosenIsolation;
  /** What the operator lets sandboxes have of the network. */
  readonly network?: NetworkChoice | undefined;
  /** Where sandboxes are kept. */
  readonly folder: string;
  /** Where traces go. */
  readonly traces?: string | undefined;
}): Promise<DoctorRow[]> {
  const { privileges, controlGroups, jail, ownId, landlock, overlay } = await probeHost({ launcher, folder });
  const { cpus, ioMiBps } = await probeLimits(folder);
  const cores = await probeCores();
  const { isolation } = chosen;
  const networkLack =
    network === 'off' ? switchedOff : await whatNetworkLacks({ launcher, folder, isolation });
  const abilities = abilitiesOf(privileges);
  const btrfsFailure = await probeBtrfs(join(folder, 'roots'), { abilities, launcher });
  const quotas = await probeQuotas(join(folder, 'roots'), { launcher });
  if (quotas.type === 'found') await quotas.quotas[Symbol.asyncDispose]();
  return [
    {
      name: 'privileges',
      state: 'ok',
      why: await describePrivileges(privileges),
    },
    row('control groups', controlGroups, 'limits of memory and processes, and shares of processor time'),
    row('cpus', cpus, 'a group with a part of a processor was made'),
    row('ioMiBps', ioMiBps, 'writing past the cache was slowed down'),
    diskRow(quotas),
    row('jails', jail, 'one was started, and tested its walls from inside'),
    { name: 'isolation', state: 'ok', why: describeIsolation(chosen) },
    row(
      'jails without namespaces',
      ownId,
      'one was started on an id of its own, and tested its walls from inside',
    ),
    row('second wall (Landlock)', landlock, describeLandlock(landlock.lacks)),
    row('cores', cores, cores.how),
    row(
      'network',
      finding(networkLack),
      'a jail has asked the bridge for an answer, by the way of all connections',
    ),
    row('btrfs roots', finding(btrfsFailure), 'a subvolume was snapshotted, mounted and deleted'),
    row('overlay roots', overlay, `one was mounted in a jail. ${noRename}`),
    watchesRow(await probeWatches(folder, watcher)),
    ...(await Promise.all(architectures.map((architecture) => programsRow(architecture, folder)))),
    ...(await examineRuntimes(folder)),
    { name: 'traces', state: 'ok', why: describeTraces(traces) },
  ];
}

/** The limit holds either way; who is past it is refused, or killed by the bridge. */
function diskRow(found: FoundQuotas): DoctorRow {
  const name = 'diskMiB';
  if (found.type === 'found') {
    return { name, state: 'ok', why: `${found.kind}: a file past a limit was refused by the kernel` };
  }
  const why = `no quota of the kernel, as ${found.reason}; the bridge looks, and kills who writes past the limit`;
  return { name, state: 'unsupported', why };
}

/** Captures come either way: without watches a few seconds later, and for processor time. */
function watchesRow({ by, why, limit }: CaptureWatch): DoctorRow {
  const name = 'watches';
  if (by === 'fanotify') return { name, state: 'ok', why: 'the kernel tells of every change (fanotify)' };
  if (by === 'inotify')
    return {
      name,
      state: 'ok',
      why:
        `of each directory by itself (inotify), at most ${limit} of all sandboxes (half of those that are left of ` +
        `fs.inotify.max_user_watches, or less), as there is ${why}`,
    };
  return { name, state: 'unsupported', why: `${why}; files are looked at every few seconds` };
}

async function programsRow(architecture: Architecture, folder: string): Promise<DoctorRow> {
  const lack = await whatProgramsLack(architecture, { folder });
  return row(`programs for ${architecture}`, finding(lack), 'one was run');
}

async function describePrivileges(privileges: Privileges): Promise<string> {
  switch (privileges) {
    case 'root':
      return 'root: jails have ids of their own';
    case 'id-range':
      return 'a range of ids (newuidmap): jails have users, the same ones for all of them; no device nodes';
    case 'one-id': {
      const lacks = (await whatIdRangeLacks()) ?? 'the bridge was started without';
      return `one id for every user in a jail, so chown, su and most of apt fail: no range of ids, ${lacks}`;
    }
  }
}

function describeIsolation({ isolation, why }: ChosenIsolation): string {
  const lacks = isolation === 'landlock' ? `. Sandboxes lack: ${ownIdLacks.join('; ')}` : '';
  return `${isolation}: ${why}${lacks}`;
}

function describeLandlock(lacks: readonly string[]): string {
  const missing = lacks.length > 0 ? `; this kernel's leaves out ${lacks.join(', and ')}` : '';
  return `no mounts and no devices, whatever else fails${missing}`;
}

function describeTraces(target: string | undefined): string {
  return target === undefined ? 'off: OTEL_EXPORTER_OTLP_ENDPOINT is not set' : `sent to ${target}`;
}

function finding(failure: string | undefined): Finding {
  return failure === undefined ? { type: 'works' } : { type: 'missing', reason: failure };
}

function row(name: string, finding: Finding, works: string): DoctorRow {
  return finding.type === 'works'
    ? { name, state: 'ok', why: works }
    : { name, state: 'unsupported', why: finding.reason };
}

/** Overlays are mounted with `redirect_dir=off` (kernel docs, overlayfs, "Renaming directories"). */
const noRename =
  'There, directories that a jail began with cannot be renamed in one step: rename(2) fails with EXDEV, mv copies';

import { join } from 'node:path';
import type { DoctorRow } from '../http/bridge-options.ts';
import { probeHost } from '../runtimes/jail/probe-host.ts';
import { probeBtrfs } from '../snapshots/probe-btrfs.ts';

type Finding = { readonly type: 'works' } | { readonly type: 'missing'; readonly reason: string };

/** What this host can, found out by doing it, one row for each thing that may be missing. */
export async function doctor({
  launcher,
  folder,
}: {
  readonly launcher: string;
  /** Where sandboxes are kept. */
  readonly folder: string;
}): Promise<DoctorRow[]> {
  const { privileges, controlGroups, jail, overlay } = await probeHost({ launcher });
  const btrfsFailure = await probeBtrfs(join(folder, 'roots'), {
    abilities: { isRoot: privileges === 'root' },
    launcher,
  });
  return [
    {
      name: 'privileges',
      state: 'ok',
      why: privileges === 'root' ? 'root: jails have ids of their own' : 'rootless: one user id for all',
    },
    row('control groups', controlGroups, 'limits of memory, processes and processor time'),
    row('jails', jail, 'one was started, and tested its walls from inside'),
    row('btrfs roots', finding(btrfsFailure), 'a subvolume was snapshotted, mounted and deleted'),
    row('overlay roots', overlay, 'one was mounted in a jail'),
  ];
}

function finding(failure: string | undefined): Finding {
  return failure === undefined ? { type: 'works' } : { type: 'missing', reason: failure };
}

function row(name: string, finding: Finding, works: string): DoctorRow {
  return finding.type === 'works'
    ? { name, state: 'ok', why: works }
    : { name, state: 'unsupported', why: finding.reason };
}

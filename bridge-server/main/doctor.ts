import type { DoctorRow } from '../http/bridge-options.ts';
import { probeHost } from '../runtimes/jail/probe-host.ts';

type Finding = { readonly type: 'works' } | { readonly type: 'missing'; readonly reason: string };

/** What this host can, found out by doing it, one row for each thing that may be missing. */
export async function doctor(launcher: string): Promise<DoctorRow[]> {
  const { privileges, controlGroups, jail, landlock, overlay } = await probeHost({ launcher });
  return [
    {
      name: 'privileges',
      state: 'ok',
      why: privileges === 'root' ? 'root: jails have ids of their own' : 'rootless: one user id for all',
    },
    row('control groups', controlGroups, 'limits of memory, processes and processor time'),
    row('jails', jail, 'one was started, and tested its walls from inside'),
    row('second wall (Landlock)', landlock, describeLandlock(landlock.lacks)),
    row('overlay roots', overlay, 'one was mounted in a jail'),
  ];
}

function describeLandlock(lacks: readonly string[]): string {
  const missing = lacks.length > 0 ? `; this kernel's leaves out ${lacks.join(', and ')}` : '';
  return `no mounts and no devices, whatever else fails${missing}`;
}

function row(name: string, finding: Finding, works: string): DoctorRow {
  return finding.type === 'works'
    ? { name, state: 'ok', why: works }
    : { name, state: 'unsupported', why: finding.reason };
}

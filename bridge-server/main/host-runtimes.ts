import type { DoctorRow, HostRuntime } from '../host-runtime.ts';
import { shellRuntime } from '../runtimes/shell/shell-runtime.ts';

/** The runtimes of this host beside jails. */
export const hostRuntimes: readonly HostRuntime[] = [shellRuntime];

/** What a doctor says of them, one after the other: each starts something. */
export async function examineRuntimes(
  folder: string,
  runtimes: readonly HostRuntime[] = hostRuntimes,
): Promise<DoctorRow[]> {
  const rows: DoctorRow[] = [];
  for (const runtime of runtimes) rows.push(...(await runtime.examine(folder)));
  return rows;
}

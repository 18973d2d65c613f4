import type { RuntimeName } from '../protocol/sandbox/sandbox-info.ts';
import type { ResourceRules } from '../sandbox/backend/resources.ts';
import type { RuntimeDriver } from '../sandbox/backend/runtime-driver.ts';

/** One thing that a host was asked whether it can. */
export interface DoctorRow {
  readonly name: string;
  readonly state: 'ok' | 'unsupported';
  readonly why: string;
}

/** A runtime of hosts, as its folder shows it to `bridge-server/main`, which lists those beside jails. */
export interface HostRuntime {
  readonly name: RuntimeName;
  /** Finds out what of it works by doing it, in files below `folder` at most; leaves nothing behind. */
  examine(folder: string): Promise<readonly DoctorRow[]>;
  /** Runs its sandboxes; each may have what `resources` of the host says, or less. */
  driver(host: { readonly resources: ResourceRules }): RuntimeDriver;
}

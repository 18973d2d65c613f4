import type { ResourceRules } from '../../../sandbox/backend/resources.ts';

/** What the process of a shell is told at its start, as JSON. */
export interface ShellSettings {
  /** The folder with the stores of the host's sandboxes. */
  readonly stores: string;
  /** A folder where Node keeps what it has compiled, for the next start. */
  readonly compiled: string;
  readonly resources: ResourceRules;
  /** Ranges of addresses that git may reach beside public ones (`AddressPolicy`); nothing where it reaches no server. */
  readonly git: readonly string[] | undefined;
}

/** Descriptors of the process, all of them sockets of its bridge. */
export const shellDescriptors = {
  /** What it complains of. */
  errors: 2,
  /** Its backend, over the wire protocol. */
  wire: 3,
  /** Questions to the bridge, and pings. */
  host: 4,
  /** Nothing: it closes with the bridge. */
  life: 5,
} as const;

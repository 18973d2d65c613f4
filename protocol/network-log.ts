/** One thing that a sandbox did, or tried to do, in the network. */
export interface NetworkFlow {
  /** Counts from 1 for each sandbox; missing numbers are of forgotten entries. */
  readonly id: number;
  readonly type: 'connection' | 'question';
  readonly startedAtMs: number;
  /**
   * The name that was resolved, or by which the address was last found. It comes from the sandbox: letters, digits,
   * hyphens, underscores and dots, 253 characters at most.
   */
  readonly name?: string;
  /** Of a connection. */
  readonly address?: string;
  readonly port?: number;
  /** `failed`: it was allowed, but could not be opened. */
  readonly verdict: 'allowed' | 'denied' | 'failed';
  /** For people: why it was denied (mostly one of `denialReasons`), or failed. */
  readonly why?: string;
  /** Of a connection that was allowed, so far. */
  readonly sentBytes?: number;
  readonly receivedBytes?: number;
  /** Absent while it is open. */
  readonly durationMs?: number;
}

/** A sandbox's network log since the start of its bridge; the oldest entries are forgotten. */
export interface NetworkLog {
  /** Oldest first. */
  readonly flows: readonly NetworkFlow[];
  /** How many older ones were forgotten. */
  readonly forgotten: number;
}

/** Why a host denies a sandbox something. */
export const denialReasons = {
  notListed: 'it is not on the list of this sandbox',
  notPublic: 'it is no public address',
  ofThisHost: 'it is an address of this host',
  noReachableAddress: 'it has no address that may be reached',
} as const;

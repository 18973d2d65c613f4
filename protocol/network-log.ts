/** One thing that a sandbox did, or tried to do, in the network. */
export interface NetworkFlow {
  /** Counts from 1 for each sandbox; those in between that are not there any more were forgotten. */
  readonly id: number;
  readonly type: 'connection' | 'question';
  readonly startedAtMs: number;
  /**
   * The name that was asked for, or that the address was last found by. Said by the sandbox: of letters,
   * digits, hyphens, underscores and dots, 253 characters at most.
   */
  readonly name?: string;
  /** Of a connection. */
  readonly address?: string;
  readonly port?: number;
  /** `failed`: it was allowed, and did not come about. */
  readonly verdict: 'allowed' | 'denied' | 'failed';
  /** For people: why it was denied, or failed. */
  readonly why?: string;
  /** Of a connection that was allowed, so far. */
  readonly sentBytes?: number;
  readonly receivedBytes?: number;
  /** Absent while it goes on. */
  readonly durationMs?: number;
}

/** What a sandbox did in the network since its bridge has started, as far as it is remembered. */
export interface NetworkLog {
  /** Oldest first. */
  readonly flows: readonly NetworkFlow[];
  /** How many older ones were forgotten. */
  readonly forgotten: number;
}

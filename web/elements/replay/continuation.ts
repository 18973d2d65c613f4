import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { RecordingHeader } from '../../../recording/format/recording-header.ts';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';

/** What a live sandbox would go on from. */
export interface ContinuePoint {
  readonly header: RecordingHeader;
  readonly snapshot: SnapshotId;
  /** Whether the file has the machine's memory there. */
  readonly hasMemory: boolean;
}

/** A place in which one can continue from a recording. */
export interface ContinueChoice {
  readonly id: string;
  /** Where it would run, and from what: `in a machine in this tab, from its files`. */
  readonly label: string;
  /** It cannot: the label says why. */
  readonly isRefused?: boolean;
}

/** What a page does to continue from a recording with a live sandbox; a player without one only shows. Fires `change` with the places. */
export interface Continuation extends EventTarget {
  /** The places that there are, the best first. */
  choices(point: ContinuePoint): readonly ContinueChoice[];
  /** Shows the hosts, for the user to add one; absent where nobody can. */
  readonly openHosts?: (() => void) | undefined;
  /** Begins to fetch what that will need: called when the pointer comes near. */
  prepare(choice: ContinueChoice, point: ContinuePoint): void;
  /** Makes the sandbox and shows it. @throws SandboxError */
  go(
    choice: ContinueChoice,
    options: {
      readonly point: ContinuePoint;
      /** The recording's snapshots, to copy from. */
      readonly recorded: SandboxConnection;
      readonly signal: AbortSignal;
      readonly onProgress: (text: string) => void;
    },
  ): Promise<void>;
}

import type { CheckpointsFacet } from './checkpoints.ts';
import type { EventsFacet } from './events.ts';
import type { FilesFacet } from './files.ts';
import type { GitFacet } from './git.ts';
import type { HistoryFacet } from './history.ts';
import type { InfoFacet } from './info.ts';
import type { NetworkFacet } from './network.ts';
import type { ProcessesFacet } from './processes.ts';
import type { RecordingFacet } from './recording.ts';
import type { SandboxInfo } from './sandbox-info.ts';
import type { ShellsFacet } from './shells.ts';
import type { TransferFacet } from './transfer.ts';

/**
 * What can be done with a sandbox, in groups. Each method takes one object, and a listener where it tells of something
 * as it happens; `tables.ts` describes every one of them to transports and to access control.
 */
export interface SandboxFacets {
  readonly info: InfoFacet;
  readonly processes: ProcessesFacet;
  readonly shells: ShellsFacet;
  readonly files: FilesFacet;
  readonly history: HistoryFacet;
  readonly checkpoints: CheckpointsFacet;
  readonly transfer: TransferFacet;
  readonly network: NetworkFacet;
  readonly git: GitFacet;
  readonly recording: RecordingFacet;
  readonly events: EventsFacet;
}

export interface CloseOptions {
  /** Closes it also where its last changes could not be saved, and gives those up. */
  readonly discard?: boolean | undefined;
}

/**
 * One open sandbox, wherever it runs. Every call rejects with a `SandboxError`; after `close` or
 * when the other side dies, with `connection-lost`. Ownership: whoever opened it closes it.
 */
export interface SandboxConnection extends SandboxFacets {
  /**
   * Creates another sandbox that goes on from now, with all that runs; it runs already: open it with the backend.
   * It is stored soon after, which its history waits for; until then it is lost with its page. Nothing where no machine
   * stands ready for that: a snapshot with memory, and a fork of that, do. Absent where none ever does.
   */
  forkRunning?(options?: { name?: string }): Promise<SandboxInfo | undefined>;
  /** @throws what keeps the last changes from being saved, where the end would lose them: it stays open, unless they are to be discarded (`isUnsaved`) */
  close(options?: CloseOptions): Promise<void>;
}

import type { SandboxError } from '../protocol/errors.ts';
import type { NetworkLog } from '../protocol/network-log.ts';
import type { SandboxInfo, StorageInfo } from '../protocol/sandbox.ts';
import type { History } from '../tree/history/history.ts';
import type { SnapshotId } from '../tree/history/snapshot-record.ts';
import type { LiveTree } from '../tree/live/live-tree.ts';
import type { SandboxStore } from '../tree/objects/sandbox-store.ts';
import type { SealedTree } from '../tree/objects/sealed-tree.ts';
import type { ImageObjects } from './parcel-stream.ts';
import type { SandboxMachine } from './sandbox-machine.ts';
import type { AroundWork } from './sandbox-work.ts';
import type { Snapshotter } from './snapshotter.ts';

/** What a sandbox in this process is made of. */
export interface LocalSandboxParts {
  readonly info: SandboxInfo;
  readonly store: SandboxStore;
  readonly history: History;
  readonly tree: LiveTree;
  readonly snapshotter: Snapshotter;
  readonly image: ImageObjects;
  /** Makes its machine, which is the sandbox's; `onFailure` is to be told when it stops by itself, or cannot be started again. */
  readonly makeMachine: (onFailure: (error: SandboxError) => void) => SandboxMachine;
  readonly readOnly: boolean;
  /** Makes another sandbox that begins with a snapshot of this one, whose tree is `tree` if it is at hand. */
  readonly fork: (
    id: SnapshotId,
    options: { name?: string; tree: SealedTree | undefined },
  ) => Promise<SandboxInfo>;
  /** What is left to do once the machine runs, until the signal ends it. */
  readonly afterStart?: (options: AfterStart) => void;
  readonly quota: () => Promise<Pick<StorageInfo, 'usageBytes' | 'quotaBytes' | 'persisted'>>;
  /** Where its place has a network for it. */
  readonly networkLog?: (() => NetworkLog) | undefined;
  /** Notes how long what clients ask for takes. */
  readonly around: AroundWork;
}

/** What the work after a start gets. */
interface AfterStart {
  /** Aborted when the sandbox closes. */
  readonly signal: AbortSignal;
  /** Tells how much of the image is kept for use without network. */
  readonly onOffline: (doneBytes: number, totalBytes: number) => void;
}

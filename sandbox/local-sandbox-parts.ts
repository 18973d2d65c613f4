import type { SandboxError } from '../protocol/errors.ts';
import type { NetworkLog } from '../protocol/network-log.ts';
import type { ProgressListener } from '../protocol/sandbox/progress.ts';
import type { SnapshotRef } from '../protocol/sandbox/refs.ts';
import type { SandboxInfo, StorageInfo } from '../protocol/sandbox/sandbox-info.ts';
import type { ObjectId } from '../tree/content/object-id.ts';
import type { History } from '../tree/history/history.ts';
import type { SnapshotId } from '../tree/history/snapshot-record.ts';
import type { ContentCache } from '../tree/live/content-cache.ts';
import type { LiveTree } from '../tree/live/live-tree.ts';
import type { SandboxStore } from '../tree/objects/sandbox-store.ts';
import type { SealedTree } from '../tree/objects/sealed-tree.ts';
import type { Snapshotter } from './capture/snapshotter.ts';
import type { ImageObjects } from './image-objects.ts';
import type { SandboxMachine } from './machine/sandbox-machine.ts';
import type { HandedShells } from './memory/handed-machine.ts';
import type { MachineSnapshotter } from './memory/machine-snapshotter.ts';
import type { ObjectSource } from './object-source.ts';
import type { SandboxRecord } from './sandbox-settings.ts';
import type { AroundWork } from './sandbox-work.ts';
import type { StoredSnapshot } from './transfer/stored-snapshot.ts';

/** What a sandbox in this process is made of: what it is called and may use, and the four that it works with. */
export interface LocalSandboxParts {
  readonly info: SandboxRecord;
  readonly state: SandboxState;
  readonly machine: MachineSource;
  readonly backend: BackendServices;
  readonly host: HostServices;
}

/** The files of a sandbox and their history. */
export interface SandboxState {
  readonly store: SandboxStore;
  readonly history: History;
  readonly tree: LiveTree;
  readonly snapshotter: Snapshotter;
  readonly machineSnapshotter: MachineSnapshotter;
  readonly image: ImageObjects;
  /** Its stored objects and those of the image. */
  readonly source: ObjectSource;
  /** Content of files that was read, shared by all its trees. */
  readonly content: ContentCache;
  readonly readOnly: boolean;
}

/** Where the machine of a sandbox comes from. */
export interface MachineSource {
  /** Makes the machine, which is the sandbox's. */
  readonly make: (told: MachineListener) => SandboxMachine;
  /** Why it cannot go on from what was stored of it. */
  readonly refused?: SandboxError | undefined;
  /** Whether it is stored as it runs, so that the next start goes on from it. */
  readonly keepsRunning?: boolean | undefined;
  /** The sandbox whose machine it goes on from; nothing of it is stored yet. */
  readonly forkOf?: string | undefined;
  /** The shells of that one, as they were. */
  readonly shells?: HandedShells | undefined;
  /** What is left to do once it runs, until the signal ends it. */
  readonly afterStart?: ((options: AfterStart) => void) | undefined;
}

/** What a sandbox asks of the backend that it is one of. */
interface BackendServices {
  /** What is stored of it now: its name and its end may be others than at its start. @throws not-found */
  readonly stored?: (() => Promise<SandboxRecord>) | undefined;
  /** Makes another sandbox that begins with a snapshot of this one, whose tree is `tree` if it is at hand. */
  readonly fork: (
    id: SnapshotId,
    options: { name?: string | undefined; tree: SealedTree | undefined },
  ) => Promise<SandboxInfo>;
  /** The stored files of a snapshot of another sandbox, which its machine need not run for. @throws not-found, conflict */
  readonly openOther: (ref: SnapshotRef) => Promise<StoredSnapshot>;
}

/** What a sandbox asks of the host that keeps it: a tab's origin, or a folder of a host. */
export interface HostServices {
  readonly quota: () => Promise<Pick<StorageInfo, 'usageBytes' | 'quotaBytes' | 'persisted'>>;
  /** Does what gives room back, where there is some left for that when the disk is full. */
  readonly freeing?: (<T>(work: () => Promise<T>) => Promise<T>) | undefined;
  /** Where there is a network for it. */
  readonly networkLog?: (() => NetworkLog) | undefined;
  /** Told of the trees that snapshots and machine still have when snapshots were deleted, also by the history itself. */
  readonly onForgotten?: ((trees: ReadonlySet<ObjectId>) => Promise<void>) | undefined;
  /** Told of the tree with which another sandbox, `fork`, begins. */
  readonly onForked?: ((tree: ObjectId, fork: string) => void) | undefined;
  /** Notes how long what clients ask for takes; where it is absent, nothing does. */
  readonly around?: AroundWork | undefined;
}

/** Whom a machine tells. */
export interface MachineListener {
  /** It has stopped by itself, or cannot be started again. */
  readonly onFailure: (error: SandboxError) => void;
  /** How far the files are that it is starting with, where that takes a while. */
  readonly onProgress: ProgressListener;
  /** It could not go on from what was stored of it, and begins anew. */
  readonly onRefused: (error: SandboxError) => void;
  /** A program listens on a port that is seen at `url`, or does no more. */
  readonly onPort: (change: {
    readonly port: number;
    readonly isOpen: boolean;
    readonly url: string;
  }) => void;
  /**
   * Its files have changed, or may have, which the live tree does not show yet; a capture would, or say why not. `by` has
   * the arguments of the process that did it, as it calls itself (H-9).
   */
  readonly onChanged: (by?: { readonly words: readonly string[] }) => void;
}

/** What the work after a start gets. */
interface AfterStart {
  /** Aborted when the sandbox closes. */
  readonly signal: AbortSignal;
  /** Tells how much of the image is kept for use without network. */
  readonly onOffline: (doneBytes: number, totalBytes: number) => void;
}

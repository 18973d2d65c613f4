import type { ChangeSummary, SnapshotId, SnapshotRecord } from '../../tree/history/snapshot-record.ts';
import type { SnapshotRef, TreeRef } from './refs.ts';
import type { SandboxInfo } from './sandbox-info.ts';

/** One difference between two trees. `metadata`: same content, other mode, owner, time or xattr. */
export interface Change {
  readonly type: 'created' | 'modified' | 'deleted' | 'renamed' | 'metadata';
  readonly path: string;
  /** Where a renamed file was. */
  readonly from?: string;
  readonly sizeBytes: number;
  /** Whether it is a directory that was created, deleted, renamed or changed itself; absent for anything else. */
  readonly isDirectory?: boolean;
}

export interface SnapshotInfo extends SnapshotRecord {
  readonly id: SnapshotId;
  readonly tags: readonly string[];
}

export interface HistoryView {
  /** Every snapshot that is kept, oldest first. */
  readonly snapshots: readonly SnapshotInfo[];
  readonly head: SnapshotId;
  /** Files changed since `head` that no snapshot holds yet. */
  readonly pending: ChangeSummary;
}

export interface SnapshotOptions {
  readonly label?: string | undefined;
  /** Take none where HEAD has the same files: HEAD is answered then. */
  readonly ifChanged?: boolean | undefined;
  /**
   * With the machine as it runs: memory, processes and terminals go with the files, and whoever goes there goes on
   * with them. `unsupported` where the machine cannot be stored.
   */
  readonly memory?: boolean | undefined;
}

export interface CheckoutOptions {
  /** Give up what changed since HEAD instead of saving it first: for a store that has no room left. */
  readonly discard?: boolean | undefined;
}

/** Where a checkout has gone to and what it has left. */
export interface CheckoutResult {
  readonly head: SnapshotId;
  /** The snapshot of the files that were left. */
  readonly previousHead: SnapshotId;
  /** What was left with all that ran, where the runtime keeps checkpoints. */
  readonly checkpoint?: number | undefined;
}

/** The snapshots of a sandbox. */
export interface HistoryFacet {
  get(): Promise<HistoryView>;
  /** Resolves when the snapshot is durable. */
  createSnapshot(ask?: SnapshotOptions): Promise<SnapshotInfo>;
  /**
   * Kills every process, puts the files back, moves HEAD. The files that were there are a snapshot first; with `discard`
   * they are not saved, and `previousHead` is the previous HEAD. @throws storage-full when they cannot be saved
   */
  checkout(ask: CheckoutOptions & { readonly id: SnapshotId }): Promise<CheckoutResult>;
  /** Creates another sandbox that starts from `id`; open it with the backend. */
  fork(ask: { readonly id: SnapshotId; readonly name?: string | undefined }): Promise<SandboxInfo>;
  /**
   * What differs from a tree of this sandbox to another, which may be a snapshot of another sandbox of the same
   * backend: what that one has not saved yet is not in it. @throws not-found, missing-object, corrupt-object
   */
  diff(ask: { readonly from: TreeRef; readonly to: TreeRef | SnapshotRef }): Promise<Change[]>;
  /** Moves a tag to the snapshot `id`; without `id`, deletes it. */
  setTag(ask: { readonly name: string; readonly id?: SnapshotId | undefined }): Promise<void>;
  /** Forgets a snapshot that is neither HEAD nor tagged; its children get its parent. */
  deleteSnapshot(ask: { readonly id: SnapshotId }): Promise<void>;
  /** Frees what no snapshot refers to. Resolves to the bytes freed. */
  collectGarbage(): Promise<number>;
}

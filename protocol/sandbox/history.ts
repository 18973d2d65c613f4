import type { ChangeSummary, SnapshotId, SnapshotRecord } from '../../tree/history/snapshot-record.ts';
import type { ErrorData } from '../errors.ts';
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
  /** What the history keeps of older snapshots, where that was set (`setRetention`); otherwise it thins out by itself. */
  readonly retention?: KeepPolicy;
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
  /** Why not all of what was left is in `previousHead`, as past the limit of the disk; its coverage says so too (H-6). */
  readonly unkept?: ErrorData | undefined;
}

/** Which of the two sides of a merge: the files as they are now, or those of the other snapshot. */
export type MergeSide = 'ours' | 'theirs';

/** A path that both sides of a merge have changed, and why the two changes do not go together. */
export interface MergeConflict {
  readonly path: string;
  /**
   * `content`: the texts were changed in the same place, or it is no text; `added`: each side has a file of its own;
   * `deleted-by-us`, `deleted-by-them`: that side deleted what the other has changed; `type`: a file on one side, a directory, link
   * or device on the other; `metadata`: mode, owner or extended attributes; a newer version may say more.
   */
  readonly kind: 'content' | 'added' | 'deleted-by-us' | 'deleted-by-them' | 'type' | 'metadata';
}

export interface MergeOptions {
  /** Label of the snapshot that is made. */
  readonly label?: string | undefined;
  /** The side that is taken at each path in conflict; without it, one conflict refuses the merge. */
  readonly prefer?: MergeSide | undefined;
}

/** Where a merge has led to. */
export interface MergeResult extends CheckoutResult {
  /**
   * `merged`: `head` is a new snapshot with two parents; `fast-forward`: nothing was changed here since `base`, so `head` is the
   * other snapshot; `up-to-date`: the history of HEAD has it already, and nothing was done.
   */
  readonly outcome: 'merged' | 'fast-forward' | 'up-to-date';
  /** The nearest common ancestor. */
  readonly base: SnapshotId;
  /** Conflicts that `prefer` has settled; at most 256 of them. */
  readonly settled: readonly MergeConflict[];
}

/**
 * What `prune` keeps: the newest snapshots, then the newest of each hour and of each day (UTC), counting only hours and days
 * that have one. HEAD, tags, tips of branches, the snapshots at which branches part, the first one and those with memory
 * that were asked for stay in any case.
 */
export interface KeepPolicy {
  readonly last: number;
  readonly hourly: number;
  readonly daily: number;
}

export interface PruneOptions {
  /** Instead of what was set for the sandbox, or of what it does by itself. */
  readonly policy?: KeepPolicy | undefined;
  /** Only tell what would go. */
  readonly dryRun?: boolean | undefined;
}

export interface PruneResult {
  /** Snapshots that are no more, oldest first, or that would go. */
  readonly forgotten: readonly SnapshotId[];
  /** How many stay. */
  readonly kept: number;
  /** 0 with `dryRun`. */
  readonly freedBytes: number;
}

/** Differences between snapshots, and where they are to be made. */
export interface ApplyOptions {
  /** One after the other: what turns the files of `from` into those of `to`. */
  readonly changes: readonly { readonly from: SnapshotId; readonly to: SnapshotId }[];
  /** The result comes after the first of these; where one of them has the same files, that is the result. */
  readonly onto: readonly SnapshotId[];
  /** Label of the snapshot that is made. */
  readonly label?: string | undefined;
  /** The side that is taken where the files were changed in the same place since: `theirs` is that of the changes. Without it, all is refused. */
  readonly prefer?: MergeSide | undefined;
}

/** Where the files have come to. */
export interface ApplyResult extends CheckoutResult {
  /** What `prefer` has settled; at most 256 of each change. */
  readonly settled: readonly MergeConflict[];
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
  /**
   * Brings the changes of a snapshot together with the files as they are now, which are a snapshot first: for each path, those of
   * the side that has changed it since the nearest common ancestor, and texts line by line. The result is a snapshot with
   * both as its parents, and is checked out: every process ends.
   * @throws conflict with `conflicts` and their `count` as details: nothing is changed; not-found where the two have no common
   * ancestor; limit-exceeded, storage-full, missing-object, corrupt-object
   */
  merge(ask: MergeOptions & { readonly id: SnapshotId }): Promise<MergeResult>;
  /**
   * Makes differences between snapshots in the files as they are now, which are a snapshot first, and keeps what else has changed: what takes back a
   * step in the midst of others. The result is checked out: every process ends.
   * @throws conflict with `conflicts` and their `count` as details: nothing is changed; not-found, limit-exceeded, storage-full,
   * missing-object, corrupt-object
   */
  applyChanges(ask: ApplyOptions): Promise<ApplyResult>;
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
  /** Forgets older snapshots by a policy, and frees what only they have. @throws invalid-argument, storage-full */
  prune(ask?: PruneOptions): Promise<PruneResult>;
  /** Sets the policy by which the history thins out from now on, by itself; without one, it does as a new one does. @throws invalid-argument */
  setRetention(ask: { readonly policy?: KeepPolicy | undefined }): Promise<void>;
  /** Frees what no snapshot refers to. Resolves to the bytes freed. */
  collectGarbage(): Promise<number>;
  /**
   * Resolves once the history has what commands have changed that have ended, and what clients have written: a moment
   * later, unless it cannot be saved. What still runs is captured when its changes are due.
   */
  settle(): Promise<void>;
}

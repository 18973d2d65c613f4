import type { ObjectId } from '../content/object-id.ts';

/** The id of a snapshot: the object id of its canonical record (rule H-1). */
export type SnapshotId = ObjectId & { readonly snapshot: true };

/** Why a snapshot was made. Text is data from a sandbox: escape it where it is shown (H-9). */
export type Cause =
  | { readonly type: 'image'; readonly image: string }
  /** `runs` are ids of the runs of these commands: captures that name the same run were taken during it, or at its end. */
  | { readonly type: 'capture'; readonly commands: readonly string[]; readonly runs?: readonly string[] }
  | { readonly type: 'manual'; readonly label: string }
  | { readonly type: 'checkout'; readonly from: string }
  | { readonly type: 'fork'; readonly sandbox: string }
  | { readonly type: 'import'; readonly source: string };

export const coverageParts = ['files', 'memory', 'processes', 'sockets', 'mounts'] as const;
export type CoveragePart = (typeof coverageParts)[number];

/**
 * Whether a part of a machine was captured, or why not; `renewed` names what of it a machine that resumes from the
 * snapshot gets new (H-7).
 */
export type Covered =
  | { readonly captured: true; readonly renewed?: string }
  | { readonly captured: false; readonly why: string };

/** The coverage of each part of a machine (rule H-6). */
export type Coverage = { readonly [part in CoveragePart]: Covered };

/**
 * How many files a snapshot changed against its parent. Directories are not counted; `paths` names them too, and is
 * cut at `limits.snapshotPaths`.
 */
export interface ChangeSummary {
  readonly created: number;
  readonly modified: number;
  readonly deleted: number;
  readonly paths: readonly string[];
}

/** Something that a record says beyond its fields, such as where the snapshot comes from. */
export interface Extension {
  /** Its own to read, as a rule JSON. Data from a sandbox, as all texts of a record (H-9). */
  readonly text: string;
  /** Objects that it refers to: they are kept, and travel, with the snapshot. */
  readonly objects: readonly ObjectId[];
}

/** An immutable node of the history. */
export interface SnapshotRecord {
  /** The root of the file tree. */
  readonly tree: ObjectId;
  /** A memory image, or none. */
  readonly memory: ObjectId | undefined;
  /** The snapshots that it was made from; empty for a root. More than one after a merge. */
  readonly parents: readonly SnapshotId[];
  readonly cause: Cause;
  readonly coverage: Coverage;
  readonly changes: ChangeSummary;
  /** Milliseconds since the Unix epoch. */
  readonly takenAtMs: number;
  /** By name; absent where there are none. A reader that does not know one keeps it and skips it. */
  readonly extensions?: Readonly<Record<string, Extension>>;
}

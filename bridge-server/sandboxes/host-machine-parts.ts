import type { SandboxError } from '../../protocol/errors.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import type { ChangedBy, FolderWatcher, Jail, Root } from '../contract.ts';
import type { DiskWatch } from './disk-watch.ts';
import type { RootAndJail } from './root-and-jail.ts';

/** How a machine gets its files and its jail. */
export interface HostMachineParts {
  readonly tree: LiveTree;
  /** What its processes write is theirs alone, and gone with them. */
  readonly readOnly: boolean;
  /** The tree that `tree` was last published as, or put at. */
  readonly sealed: () => ObjectId;
  readonly makeRoot: (tree: ObjectId, signal: AbortSignal | undefined) => Promise<Root>;
  /** `root` has the files of `tree`. */
  readonly startJail: (
    root: Root,
    options: { readonly tree: ObjectId; readonly signal: AbortSignal | undefined },
  ) => Promise<Jail>;
  /** What an earlier process has left, whose tree `sealed` is: the first start goes on with it. */
  readonly left: RootAndJail | undefined;
  /** Holds to its disk what the kernel does not. */
  readonly watch: Pick<DiskWatch, 'watch'>;
  /** Tells when something changes in the root. */
  readonly watcher: Pick<FolderWatcher, 'watch'>;
  /** Directories in which that does not matter until something else does. */
  readonly ignored: readonly string[];
  /** Files of this sandbox that are in no snapshot. */
  readonly unsaved: UnsavedFilesKeeper;
  /** Whether the next process goes on with what runs when this is disposed of. */
  readonly isLeaving: () => boolean;
  /** Told when the machine stops by itself, or cannot be started again. */
  readonly onFailure: (error: SandboxError) => void;
  /** Told when files have changed that nobody asked for, or when that could not be found out. */
  readonly onChanged: (by?: ChangedBy) => void;
}

/** Sees to it that files which could not be saved are found by the next start of their sandbox. */
export interface UnsavedFilesKeeper {
  /** The root that an earlier machine has left with such files, to whoever asks first: the first start goes on with it. */
  take(): Root | undefined;
  /** Why those of the root that this machine goes on with are not saved yet. */
  readonly why: SandboxError | undefined;
  /** Writes down that `root` has such files and can be compared with `trees`; durable when it returns. @throws storage-full */
  note(root: Root, options: { readonly trees: readonly ObjectId[]; readonly why: SandboxError }): void;
  /** They are saved, or given up. */
  clear(): void;
}

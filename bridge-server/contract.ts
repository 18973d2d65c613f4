// How the parts of a host sandbox meet. Implementations never import one another; bridge-server/main picks them.
import type { ByteChannel } from '../protocol/init/byte-channel.ts';
import type { UnsavedFiles } from '../protocol/sandbox/sandbox-info.ts';
import type { CaptureWatch, MachineUsage } from '../protocol/sandbox-report.ts';
import type { LeaveRule } from '../sandbox/machine/sandbox-machine.ts';
import type { ByteString } from '../tree/content/byte-string.ts';
import type { ObjectId } from '../tree/content/object-id.ts';
import type { LiveTree } from '../tree/live/live-tree.ts';

/** What a jail mounts as its root, inside its own mount namespace. */
export type RootMount =
  /** `lower`: the uppermost first. `userxattr` where whiteouts are those of a mount without privileges. */
  | {
      readonly type: 'overlay';
      readonly lower: readonly string[];
      readonly upper: string;
      readonly work: string;
      readonly userxattr: boolean;
    }
  /** `ownId`: whose all of it is, and nothing else. Its jail is made of that id, without namespaces. */
  | { readonly type: 'bind'; readonly path: string; readonly ownId?: number | undefined };

/** What a root may take of its disk. */
export interface DiskRoom {
  /** More than it takes now: what its tree has room for. */
  readonly roomBytes: number;
  /** In all, whatever the tree makes of it: zeros are nothing there, and holes here. */
  readonly totalBytes: number;
}

/** A native copy of a tree: a cache, of which the tree's objects are the truth. Owns its folder on disk. */
export interface Root extends AsyncDisposable {
  readonly mount: RootMount;
  readonly name: RootName;
  /**
   * Applies to `tree` what has changed in the root since the last call: `tree` holds what the root
   * was made from and what earlier calls applied. Nothing may run in the root until `onRead` is called
   * or it has ended. Resolves to how many paths changed.
   * What may be left as the tree has it (`CollectOptions.leave`) is in `left`, and told again by the next call.
   * @throws storage-full when the tree has no room for it, and what `onRead` throws
   */
  collect(tree: LiveTree, options?: CollectOptions): Promise<number>;
  /** To be called before processes stand still for a `collect` with `isPublished`: does what they would wait for. */
  readonly prepare?: (() => Promise<void>) | undefined;
  /** Files that the last call of `collect` has left as the tree had them. */
  readonly left: readonly ByteString[];
  /**
   * Tells that what the last call of `collect` with `isPublished` left in its tree is stored as `tree`.
   * A root that has put those files aside may serve its maker with them from then on.
   */
  published(tree: ObjectId): void;
  /**
   * Lets it take so much of its disk and has the kernel refuse the rest; absent where the kernel holds it to nothing.
   */
  readonly allow?: ((room: DiskRoom) => Promise<void>) | undefined;
  /** What it alone takes of its disk. @throws internal */
  usedBytes(): Promise<number>;
  /** Instead of disposal: leaves the folder to a maker of another process, which finds it by `name`. */
  leave(): Promise<void>;
}

/** What finds a root again, in a maker of the same kind on the same folder. Plain values, to be written down. */
export interface RootName {
  readonly kind: RootMaker['name'];
  readonly folder: string;
  /** Of those that it shares with other roots, the uppermost first; where it shares none, the tree that it began with, if not an image's. */
  readonly layers: readonly string[];
  /** When its files were as those of the tree that it was made from, since 1970: what changed later has a later ctime. */
  readonly madeAtMs: number;
}

/** A root that holds what no snapshot has, for the next start of its sandbox. Plain values, to be written down. */
export interface UnsavedRoot {
  readonly sandbox: string;
  readonly root: RootName;
  /** One of these is at HEAD of the sandbox, or HEAD has been moved and the root's files were given up. */
  readonly trees: readonly ObjectId[];
  readonly why: UnsavedFiles;
}

/** The unsaved roots of a host, one of each sandbox at most. What a call has changed is durable when it returns. */
export interface UnsavedRootRecords {
  list(): UnsavedRoot[];
  get(sandbox: string): UnsavedRoot | undefined;
  /** @throws storage-full */
  put(root: UnsavedRoot): void;
  remove(sandbox: string): void;
}

/** The process that changed something, where the kernel tells: its number, and its arguments as it calls itself (H-9). */
export interface ChangedBy {
  readonly pid: number;
  /** The inode of its namespace of processes where there are words, else 0. */
  readonly namespace: number;
  readonly words: readonly string[];
}

/** Whom a watch tells. */
export interface WatchListener {
  /** Something in the folder has changed, or may have: told once for what happens within a few milliseconds. */
  readonly onChanged: (by: ChangedBy) => void;
  /** It is watched from now on, or no more. What happened just before may not have been told of. */
  readonly onState: () => void;
}

export interface WatchOptions extends WatchListener {
  /** Directories whose changes are not told of, by their paths in the folder, with a slash before. */
  readonly ignored?: readonly string[] | undefined;
}

/** Whether something had changed that was not told of; `unknown` where the watch did not answer in time. */
export type Drained = 'changed' | 'unchanged' | 'unknown';

/** A folder that is watched until it is disposed of. Only a reason to look: it may miss changes, and invent some. */
export interface FolderWatch extends Disposable {
  readonly state: CaptureWatch;
  /** Resolves when all is told that has happened until now; what that is, it answers instead of the listener. */
  drain(): Promise<Drained>;
}

/** Watches folders of one file system for changes, in them and below. Holds none of them open. */
export interface FolderWatcher extends AsyncDisposable {
  /** `path` is absolute, and there. */
  watch(path: string, options: WatchOptions): FolderWatch;
}

export interface CollectOptions {
  /**
   * What need not be read, so that processes wait for little: `changing`, files that change while they are read, and what
   * is not read when `signal` is aborted; `used`, also large files that a process has open for writing. Default: nothing,
   * for which they may wait long.
   */
  readonly leave?: LeaveRule | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What is found is published next: a root that can put its files aside does that, and reads them then. */
  readonly isPublished?: boolean;
  /** Nothing can have changed since the last call, so nobody looks. */
  readonly isSame?: boolean;
  /**
   * Whether something in the root has a file mapped that its writes go to. Asked where files have changed, while
   * nothing runs. Default: that it may be so.
   */
  readonly mapsShared?: (() => Promise<boolean>) | undefined;
  /**
   * Called once, when processes may run in the root again: its files are put aside, or all that may not change any more has
   * been read.
   */
  readonly onRead?: () => Promise<void>;
}

/** Makes plain folders the roots of jails without namespaces, which mount nothing and have one id each. */
export interface RootFurnisher {
  /**
   * Gives `path`, which nobody uses, to an id that nothing else on this host has, and puts what a jail
   * needs there in it. @throws machine-failed, timeout, limit-exceeded
   */
  furnish(path: string): Promise<FurnishedRoot>;
  /**
   * Ends what runs on in a root that an earlier process has had furnished and not let go of.
   * @throws machine-failed, timeout when something does not end
   */
  clear(path: string): Promise<void>;
}

export interface FurnishedRoot {
  readonly id: number;
  /** Ends what still has the id, and gives it back. @throws machine-failed, timeout when something does not end: it stays taken */
  release(): Promise<void>;
}

/** Why what is called `name` does not work on this host, by `probe` or by what one has found before; `undefined` if it works. */
export type RecallProbe = (
  name: string,
  probe: () => Promise<string | undefined>,
) => Promise<string | undefined>;

/** Makes roots of one kind. Owns the layers that they share. */
export interface RootMaker extends AsyncDisposable {
  readonly name: 'overlay' | 'copy' | 'btrfs';
  /** What of a tree's metadata the host cannot hold; empty when it holds all. Shown as coverage. */
  readonly gaps: readonly string[];
  /** A writable root with the files of `tree`. @throws missing-object, corrupt-object, storage-full, aborted */
  make(tree: ObjectId, options: MakeOptions): Promise<Root>;
  /**
   * Makes what roots of `tree` share, before there is one. Aborting ends that, unless a root waits for it by then. Absent
   * where roots share nothing that takes long. @throws as `make`
   */
  makeAhead?(tree: ObjectId, options: MakeOptions): Promise<void>;
  /**
   * The root `name` that an earlier process has left, of those that this maker was opened to spare. What
   * it has is not known: its first `collect` compares all of it with its tree, which may be any that an
   * earlier one left or that it was made from. `sandbox` is as in `MakeOptions`. @throws not-found
   */
  adopt(name: RootName, sandbox?: string): Promise<Root>;
  /**
   * Tells that `sandbox` has `tree`, of which another is about to have a root: what is cached of it then stays when the
   * other is gone.
   */
  own(sandbox: string, tree: ObjectId): void;
  /**
   * Of the trees that `sandbox` has had roots of, or published, it still has `trees`. What is cached of one that no
   * sandbox has any more is gone from the disk when this resolves; what a root is made of, once that is disposed of.
   */
  retain(sandbox: string, trees: ReadonlySet<ObjectId>): Promise<void>;
}

/** How much of a root is unpacked. */
export interface UnpackProgress {
  readonly files: number;
  readonly bytes: number;
}

export type UnpackListener = (progress: UnpackProgress) => void;

export interface MakeOptions {
  /** The sandbox that has the tree. Without one, what is cached of it stays for as long as there is room (`retain`). */
  readonly sandbox?: string | undefined;
  /** The image's tree, which many sandboxes begin with: made once, and shared where the kind of root can. */
  readonly base: ObjectId;
  /** The objects of both trees. One maker serves many sandboxes, each with objects of its own. */
  readonly read: (id: ObjectId) => Uint8Array;
  /** Trees that may differ little from it, the likeliest first: what the maker has of one can save it work. */
  readonly near?: readonly ObjectId[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told of what takes a while to unpack, every `limits.unpackToldEveryMs`; also where that is done for another root too. */
  readonly onUnpack?: UnpackListener | undefined;
}

/** What a jail may use. What is not there is not limited. */
export interface JailLimits {
  readonly memoryMiB: number;
  readonly pids: number;
  readonly cpuShares: number;
  /** Processors, or part of one. */
  readonly cpus?: number | undefined;
  /** `disk` is the number of a whole disk, `major:minor`. */
  readonly io?: { readonly disk: string; readonly mibPerSecond: number } | undefined;
}

export interface JailSpec {
  readonly root: RootMount;
  readonly hostname: string;
  /** Its programs may make namespaces and mounts of their own, as another sandbox inside needs. */
  readonly nested?: boolean | undefined;
  readonly limits: JailLimits;
  /** Unique on this host. */
  readonly cgroup: string;
  /** Its way into the network; without, it has a loopback and nothing else. */
  readonly network?: JailRelay | undefined;
  /** Set where it may go on when this process dies, for the next one to find. */
  readonly outlives?: OutlivingJail | undefined;
}

/** Where what goes out of a jail comes (guest/launch/relay.h). */
export interface JailRelay {
  /** With the socket of who takes it. */
  readonly folder: string;
  /** Says there which jail it is: a UUID. */
  readonly key: string;
  /** Connections at a time; more wait. */
  readonly flows: number;
  /** Of connections, and questions for names, that begin in a second; what is beyond waits. */
  readonly perSecond: number;
}

/** What the next bridge finds a jail by, and is told of it. */
export interface OutlivingJail {
  /** Is made for this jail, and gone with it. */
  readonly folder: string;
  /** How long it waits for a bridge. */
  readonly waitMs: number;
  readonly sandbox: string;
  readonly root: RootName;
  /** The trees of which one is at HEAD of the sandbox: `Root.collect` can compare the root with each. */
  readonly trees: readonly ObjectId[];
}

export interface JailEnd {
  readonly reason: 'exited' | 'killed' | 'out-of-memory';
  readonly message: string;
}

/** A running jail. Owns its launcher, its cgroups and, through the namespaces, everything inside. */
export interface Jail extends AsyncDisposable {
  /** Whether another process could go on with it. */
  readonly outlives: boolean;
  /** To its init. */
  readonly channel: ByteChannel;
  readonly ended: Promise<JailEnd>;
  /** The version of Landlock's interface that walls it in as well; 0 where the kernel has none that is of use. */
  readonly landlockAbi: number;
  /** Stops every process inside where it is. Calls do not nest. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Whether nothing runs inside but its init; not always known when it is so. */
  isAlone(): boolean;
  /** Whether a process inside has a file mapped that its writes go to, or may have. To be asked while it is frozen. */
  mapsShared(): Promise<boolean>;
  /** Processes inside that the kernel has killed since the start for lack of memory. */
  outOfMemoryKills(): number;
  /** What it has used since its start, as far as the host counts that. */
  usage(): MachineUsage;
  /** The processes inside but its init, with the bytes that each has written to files so far where the host tells. */
  written(): Promise<ReadonlyMap<number, number | undefined>>;
  /** The inode of its namespace of processes; `undefined` where it has none of its own, or that cannot be seen. */
  pidNamespace(): Promise<number | undefined>;
  /** Kills those of `pids` that are inside; answers how many. */
  kill(pids: readonly number[]): Promise<number>;
  /** Says what `OutlivingJail.trees` are from now on; nothing is written where it does not outlive us. @throws storage-full */
  remember(trees: readonly ObjectId[]): void;
  /** Instead of disposal, where it outlives us: lets go of it, as if this process had died. */
  leave(): void;
}

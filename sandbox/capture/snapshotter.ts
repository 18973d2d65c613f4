import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { Change } from '../../protocol/sandbox/history.ts';
import {
  commandsExtension,
  encodeRanCommands,
  type RanCommand,
} from '../../protocol/sandbox/ran-commands.ts';
import type { TreeRef } from '../../protocol/sandbox/refs.ts';
import { encodeStop, stopExtension } from '../../protocol/sandbox/stop.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import type { History, HistorySnapshot } from '../../tree/history/history.ts';
import type {
  Cause,
  ChangeSummary,
  Coverage,
  SnapshotId,
  SnapshotRecord,
} from '../../tree/history/snapshot-record.ts';
import type { ContentCache } from '../../tree/live/content-cache.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import type { TreeSnapshot } from '../../tree/live/tree-snapshot.ts';
import { diffTrees, type TreeChange } from '../../tree/objects/diff-trees.ts';
import type { GetObject } from '../../tree/objects/get-object.ts';
import type { StoredObject } from '../../tree/objects/object-store.ts';
import type { SealedTree } from '../../tree/objects/sealed-tree.ts';
import type { ObjectSource } from '../object-source.ts';
import { type SealedFiles, sealInSlices } from '../seal-in-slices.ts';
import type { StoredSnapshot } from '../transfer/stored-snapshot.ts';
import { describePath } from './changed-files.ts';
import { diskCoverage, noChanges, withoutFiles } from './disk-coverage.ts';
import { isPassing } from './passing-changes.ts';

export interface SnapshotterParts {
  readonly tree: LiveTree;
  readonly history: History;
  readonly source: ObjectSource;
  readonly content: ContentCache;
  /** What the live tree was loaded from. */
  readonly sealed: SealedTree;
  /** The stored tree that the numbers of its files come from, as it is loaded. */
  readonly base: () => SealedTree;
  /** What a new sandbox of the same image or runtime begins with. */
  readonly begins: () => StoredTree | undefined;
}

/** A tree, with those of its objects that no image has. */
export interface StoredTree {
  readonly id: ObjectId;
  readonly objects: readonly StoredObject[];
}

/** What a snapshot is made of: files and, where a machine was sealed at the same instant, what was sealed of it. */
export interface SealedState extends SealedFiles {
  /** The memory that the snapshot has. */
  readonly memory?: { readonly id: ObjectId; readonly coverage: Coverage } | undefined;
  /** The record of the machine as it runs, to be noted in the same commit: a start finds both or neither. */
  readonly running?: ((parent: SnapshotId) => SnapshotRecord) | undefined;
  /** To be called once all of it is durable. */
  settle?(): void;
}

/** What a snapshot has beyond files and memory. */
export interface SnapshotExtras {
  readonly extensions: SnapshotRecord['extensions'];
  /** Those that the extensions refer to. */
  readonly objects: readonly StoredObject[];
  /** Whether a snapshot has the same. */
  isIn(record: SnapshotRecord): boolean;
}

/** Seals the files as they are, with something else of that instant. */
export type Seal = () => Promise<SealedState>;

export interface PublishOptions {
  readonly ifChanged?: boolean | undefined;
  /** Whether changes that come and go by themselves are left for the next snapshot. */
  readonly leavesPassing?: boolean | undefined;
  /** Of the files alone where it is absent. */
  readonly seal?: Seal | undefined;
  readonly extras?: SnapshotExtras | undefined;
  /** Of the files, where it is not that of every disk snapshot. */
  readonly coverage?: Coverage | undefined;
  /** The commands that it was taken after. */
  readonly ran?: readonly RanCommand[] | undefined;
  /** Why files are missing in it. */
  readonly unkept?: string | undefined;
  /** How long programs stood still for it, where that is worth telling. */
  readonly stoppedMs?: number | undefined;
}

/** Files that are not the live tree's, to be a snapshot beside HEAD. */
export interface FilesBeside {
  readonly snapshot: TreeSnapshot;
  /** A seal of an earlier state of the same tree, whose objects are stored. */
  readonly previous: SealedTree | undefined;
  readonly cause: Cause;
  /** The first is what its changes are counted against. */
  readonly parents: readonly [SnapshotId, ...SnapshotId[]];
  readonly extensions?: SnapshotRecord['extensions'];
}

/** Turns the live tree into published snapshots, and snapshots back into trees. Calls must not overlap. */
export class Snapshotter {
  readonly #parts: SnapshotterParts;
  /** Trees of this session by id, oldest first: going back to one is a pointer copy. */
  readonly #loaded = new Map<ObjectId, SealedTree>();
  #sealed: SealedTree;
  #base: () => SealedTree;
  /** Of trees that have other numbers than the live one may have. */
  readonly #bases = new WeakMap<SealedTree, () => SealedTree>();

  constructor(parts: SnapshotterParts) {
    this.#parts = parts;
    this.#sealed = parts.sealed;
    this.#base = parts.base;
    this.#bases.set(parts.sealed, parts.base);
    this.#keep(parts.sealed);
  }

  /**
   * Publishes the files as they are now; resolves when durable. With the same files and extras as HEAD, an
   * automatic capture publishes nothing and answers HEAD, and so does any other with `ifChanged`, or one that leaves all
   * there is. `onSealed` is called before HEAD moves.
   * @throws storage-full, and what `onSealed` throws
   */
  async publish(
    cause: Cause,
    options: PublishOptions & { readonly onSealed?: (tree: ObjectId) => void } = {},
  ): Promise<HistorySnapshot> {
    const { history, source, content } = this.#parts;
    const { onSealed, ifChanged, seal, extras, coverage = diskCoverage, unkept } = options;
    const { ran = [], stoppedMs, leavesPassing } = options;
    const state: SealedState = await (seal ? seal() : this.sealFiles());
    const { sealed, objects, memory, running } = state;
    const head = history.head === undefined ? undefined : history.get(history.head);
    const isSame = head?.tree === sealed.id && !memory && (extras?.isIn(head) ?? true);
    if (isSame && (cause.type === 'capture' || ifChanged)) return head;
    const changes = head ? await this.#counted(head.tree, sealed.id, objects) : [];
    if (head && leavesPassing && changes.length > 0 && isPassing(changes)) return head;
    onSealed?.(sealed.id);
    const id = await history.add(
      {
        tree: sealed.id,
        memory: memory?.id,
        parents: head ? [head.id] : [],
        cause,
        coverage: withoutFiles(memory?.coverage ?? coverage, unkept),
        changes: head ? summarize(changes) : noChanges,
        takenAtMs: Date.now(),
        ...withMore(extras?.extensions, { ran, stoppedMs }),
      },
      {
        objects: [
          ...objects.filter((object) => !source.isInImage(object.id)),
          ...(await this.#missing(extras?.objects ?? [])),
        ],
        running,
      },
    );
    sealed.settle(content);
    state.settle?.();
    this.#sealed = sealed;
    this.#keep(sealed);
    return history.get(id);
  }

  /** Publishes files that are not the live tree's. HEAD stays. Durable when it resolves. @throws storage-full, missing-object */
  async publishBeside({
    snapshot,
    previous,
    cause,
    parents,
    extensions,
  }: FilesBeside): Promise<HistorySnapshot> {
    const { history, source } = this.#parts;
    const { sealed, objects } = await sealInSlices(snapshot, previous);
    const [parent] = parents;
    const id = await history.add(
      {
        ...{ tree: sealed.id, memory: undefined, parents, cause, coverage: diskCoverage },
        changes: summarize(await this.#counted(history.get(parent).tree, sealed.id, objects)),
        takenAtMs: Date.now(),
        ...(extensions ? { extensions } : {}),
      },
      { objects: objects.filter((object) => !source.isInImage(object.id)), moveHead: false },
    );
    return history.get(id);
  }

  /** The tree of a snapshot as it is loaded. @throws missing-object, corrupt-object */
  load(id: SnapshotId): SealedTree {
    return this.#load(id);
  }

  /** Seals the files of an instant, now if no other is given. What is sealed is not published. */
  async sealFiles(snapshot: TreeSnapshot = this.#parts.tree.snapshot()): Promise<SealedFiles> {
    const files = await sealInSlices(snapshot, this.#sealed);
    this.#bases.set(files.sealed, this.#base);
    return files;
  }

  /** The tree that the numbers of files come from, which must stay stored beside snapshots. */
  get base(): SealedTree {
    return this.#base();
  }

  /** The tree that was last published or restored. */
  get sealed(): SealedTree {
    return this.#sealed;
  }

  get treeId(): ObjectId {
    return this.#sealed.id;
  }

  /** The live tree as it was when it was last published or restored. */
  get lastSnapshot(): TreeSnapshot {
    return this.#sealed.snapshot;
  }

  /** The tree of a snapshot, when it is at hand: a value that others may start from. */
  kept(id: SnapshotId): SealedTree | undefined {
    return this.#loaded.get(this.#parts.history.get(id).tree);
  }

  /** Puts the live tree at a snapshot. Nothing may hold a file of it. @throws missing-object, corrupt-object */
  restore(id: SnapshotId): void {
    const sealed = this.#load(id);
    this.#parts.tree.restore(sealed.snapshot);
    this.#parts.tree.dropUnlinked();
    this.#sealed = sealed;
    this.#base = this.#bases.get(sealed) ?? (() => sealed);
  }

  /** Puts the live tree at one whose files have the numbers of `base`. */
  restoreTree(sealed: SealedTree, base: SealedTree): void {
    this.#parts.tree.restore(sealed.snapshot);
    this.#sealed = sealed;
    this.#base = () => base;
    this.#bases.set(sealed, this.#base);
    this.#keep(sealed);
  }

  /** The live tree goes on from a snapshot, from which it may differ. @throws missing-object, corrupt-object */
  goOnFrom(id: SnapshotId): void {
    this.#sealed = this.#load(id);
  }

  /** Checks that a snapshot can be restored before anything is given up for it. */
  async prepare(id: SnapshotId): Promise<void> {
    await this.#parts.history.assertRestorable(id);
    this.#load(id);
  }

  /** A tree to read from: the live one, or a read-only one at a snapshot. */
  view(at: TreeRef): LiveTree {
    if (at === 'now') return this.#parts.tree;
    return LiveTree.from(this.#load(at).snapshot, { readOnly: true, content: this.#parts.content });
  }

  async diff(from: TreeRef, to: TreeRef): Promise<Change[]> {
    const now = from === 'now' || to === 'now' ? await this.sealFiles() : undefined;
    const idOf = (at: TreeRef) =>
      (at === 'now' ? now?.sealed.id : undefined) ?? this.#parts.history.get(at as SnapshotId).tree;
    const { source } = this.#parts;
    const read = async (id: ObjectId) => source.read(id);
    const compare = () => wholeDiff(read, idOf(from), idOf(to));
    return (await source.withPassing(now?.objects ?? [], compare)).map(describeChange);
  }

  /** All that a snapshot has otherwise than another, or than what new sandboxes begin with. @throws limit-exceeded, missing-object, corrupt-object */
  async changes(from: SnapshotId | 'base', to: SnapshotId): Promise<readonly TreeChange[]> {
    const { source, history } = this.#parts;
    const { id, objects } = from === 'base' ? this.#begins() : { id: history.get(from).tree, objects: [] };
    const begun = new Map(objects.map((object) => [object.id, object.bytes]));
    const get = async (object: ObjectId) => begun.get(object) ?? source.read(object);
    return wholeDiff(get, id, history.get(to).tree);
  }

  #begins(): StoredTree {
    const tree = this.#parts.begins();
    if (tree) return tree;
    throw new SandboxError(
      'unsupported',
      'Cannot tell what the sandbox began with: its runtime does not say',
      {
        details: { feature: 'base' },
      },
    );
  }

  /** What differs from a tree of this sandbox to a snapshot of another. @throws missing-object, corrupt-object */
  async diffToOther(from: TreeRef, other: Pick<StoredSnapshot, 'tree' | 'read'>): Promise<Change[]> {
    const now = from === 'now' ? await this.sealFiles() : undefined;
    const { source, history } = this.#parts;
    const tree = now?.sealed.id ?? history.get(from as SnapshotId).tree;
    return source.withPassing(now?.objects ?? [], async () => {
      const get = async (id: ObjectId) => source.find(id) ?? other.read(id);
      return (await wholeDiff(get, tree, other.tree)).map(describeChange);
    });
  }

  /** What differs between a tree that is stored or the image's, and the files as they are now. @throws missing-object, corrupt-object */
  async changesSince(tree: ObjectId): Promise<readonly Pick<Change, 'type'>[]> {
    const { sealed, objects } = await this.sealFiles();
    return this.#counted(tree, sealed.id, objects);
  }

  #load(id: SnapshotId): SealedTree {
    const { tree } = this.#parts.history.get(id);
    const loaded = this.#loaded.get(tree) ?? this.#parts.source.loadTree(tree).sealed;
    this.#keep(loaded);
    return loaded;
  }

  #keep(sealed: SealedTree): void {
    this.#loaded.delete(sealed.id);
    this.#loaded.set(sealed.id, sealed);
    if (this.#loaded.size <= limits.loadedTrees) return;
    for (const oldest of this.#loaded.keys()) {
      this.#loaded.delete(oldest);
      return;
    }
  }

  /** Those of the objects that are not stored. */
  async #missing(objects: readonly StoredObject[]): Promise<readonly StoredObject[]> {
    if (objects.length === 0) return objects;
    const stored = await this.#parts.history.stored(objects.map(({ id }) => id));
    return objects.filter(({ id }) => !stored.has(id));
  }

  /** To be counted: so many at most, which need not be all. */
  async #counted(
    from: ObjectId,
    to: ObjectId,
    passing: readonly StoredObject[],
  ): Promise<readonly TreeChange[]> {
    const { source } = this.#parts;
    const read = async (id: ObjectId) => source.read(id);
    const most = { maxChanges: limits.archiveChanges };
    return (await source.withPassing(passing, () => diffTrees(read, from, to, most))).changes;
  }
}

/** All that differs: a part would be taken for all of it. @throws limit-exceeded, missing-object, corrupt-object */
async function wholeDiff(get: GetObject, from: ObjectId, to: ObjectId): Promise<readonly TreeChange[]> {
  const limit = limits.archiveChanges;
  const { changes, truncated } = await diffTrees(get, from, to, { maxChanges: limit });
  if (!truncated) return changes;
  const message = `Cannot tell all that differs: it is more than ${limit} files. Compare snapshots that are nearer to each other`;
  throw new SandboxError('limit-exceeded', message, { details: { limit } });
}

function withMore(
  extensions: SnapshotRecord['extensions'],
  { ran, stoppedMs }: { readonly ran: readonly RanCommand[]; readonly stoppedMs: number | undefined },
): Pick<SnapshotRecord, 'extensions'> {
  const all = {
    ...extensions,
    ...(ran.length === 0 ? {} : { [commandsExtension]: { text: encodeRanCommands(ran), objects: [] } }),
    ...(stoppedMs === undefined ? {} : { [stopExtension]: { text: encodeStop(stoppedMs), objects: [] } }),
  };
  return Object.keys(all).length === 0 ? {} : { extensions: all };
}

function summarize(changes: readonly TreeChange[]): ChangeSummary {
  const files = changes.filter((change) => !concernsDirectory(change));
  const count = (...types: TreeChange['type'][]) =>
    files.filter((change) => types.includes(change.type)).length;
  return {
    created: count('created'),
    modified: count('modified', 'metadata', 'renamed'),
    deleted: count('deleted'),
    paths: changes.slice(0, limits.snapshotPaths).map((change) => describePath(change.path)),
  };
}

function describeChange(change: TreeChange): Change {
  return {
    type: change.type,
    path: describePath(change.path),
    ...(change.from === undefined ? {} : { from: describePath(change.from) }),
    sizeBytes: (change.after ?? change.before)?.sizeBytes ?? 0,
    ...(concernsDirectory(change) ? { isDirectory: true } : {}),
  };
}

function concernsDirectory({ before, after }: TreeChange): boolean {
  return (after ?? before)?.directory !== undefined;
}

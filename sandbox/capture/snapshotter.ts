import { limits } from '../../protocol/limits.ts';
import type { Change } from '../../protocol/sandbox/history.ts';
import type { TreeRef } from '../../protocol/sandbox/refs.ts';
import { toDisplayText } from '../../tree/content/byte-string.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import type { History, HistorySnapshot } from '../../tree/history/history.ts';
import { decodeMemoryHead } from '../../tree/history/memory-head.ts';
import type { Cause, ChangeSummary, SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { ContentCache } from '../../tree/live/content-cache.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import type { TreeSnapshot } from '../../tree/live/tree-snapshot.ts';
import { nextTask } from '../../tree/next-task.ts';
import { diffTrees, type TreeChange } from '../../tree/objects/diff-trees.ts';
import type { StoredObject } from '../../tree/objects/object-store.ts';
import { sealSlices } from '../../tree/objects/seal-tree.ts';
import type { SealedTree } from '../../tree/objects/sealed-tree.ts';
import type {
  LiveMachine,
  MachineCheckpoint,
  SealedCheckpoint,
  ShownTerminal,
} from '../machine/sandbox-machine.ts';
import { type CheckpointToStore, type NotedCheckpoint, nameOf } from '../memory/checkpoint-to-store.ts';
import { type HandedFiles, handOverTree } from '../memory/handed-machine.ts';
import { loadRunningTree } from '../memory/load-running-tree.ts';
import { machineCoverage, runningRecord } from '../memory/running-record.ts';
import { sealCheckpoint } from '../memory/seal-checkpoint.ts';
import { type IsStored, type SealedMachine, sealCheckpoints } from '../memory/seal-checkpoints.ts';
import type { ObjectSource } from '../object-source.ts';
import type { StoredSnapshot } from '../transfer/stored-snapshot.ts';
import { diskCoverage, noChanges } from './disk-coverage.ts';

export interface SnapshotterParts {
  readonly tree: LiveTree;
  readonly history: History;
  readonly source: ObjectSource;
  readonly content: ContentCache;
  /** What the live tree was loaded from. */
  readonly sealed: SealedTree;
  /** The stored tree that the numbers of its files come from, as it is loaded. */
  readonly base: () => SealedTree;
}

/** A machine to be stored as it runs. */
export interface RunningParts {
  readonly live: LiveMachine;
  readonly terminals: () => readonly ShownTerminal[];
}

export interface PublishOptions {
  readonly ifChanged?: boolean | undefined;
  /** With the machine as it runs. */
  readonly running?: RunningParts | undefined;
  /** The machine as it runs is noted in the same commit: a start finds both or neither. The snapshot has files only. */
  readonly beside?: RunningParts | undefined;
}

/** A machine to go on from, with the step that puts the live tree there. */
export interface PreparedMachine {
  readonly memory: ObjectId;
  readonly restore: () => void;
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
   * Publishes the files as they are now; resolves when durable. With the same files as HEAD, an
   * automatic capture publishes nothing and answers HEAD, and so does any other with `ifChanged`. `onSealed`
   * is called before HEAD moves.
   * @throws storage-full, and what `onSealed` throws
   */
  async publish(
    cause: Cause,
    options: PublishOptions & { readonly onSealed?: (tree: ObjectId) => void } = {},
  ): Promise<HistorySnapshot> {
    const { history, source, tree } = this.#parts;
    const { onSealed, ifChanged, running } = options;
    const { sealed, objects, memory, noted } = running
      ? { ...(await this.#sealRunning(running)), noted: undefined }
      : await this.#sealBeside(tree, options.beside);
    const head = history.head === undefined ? undefined : history.get(history.head);
    if (head?.tree === sealed.id && !running && (cause.type === 'capture' || ifChanged)) return head;
    onSealed?.(sealed.id);
    const id = await history.add(
      {
        tree: sealed.id,
        memory: memory?.id,
        parents: head ? [head.id] : [],
        cause,
        coverage: memory ? machineCoverage : diskCoverage,
        changes: head ? await this.#summary(head.tree, sealed.id, objects) : noChanges,
        takenAtMs: Date.now(),
      },
      {
        objects: objects.filter((object) => !source.isInImage(object.id)),
        running: noted && ((parent) => runningRecord({ tree: sealed.id, memory: noted.id, parent })),
      },
    );
    sealed.settle(this.#parts.content);
    memory?.settle();
    noted?.settle();
    this.#sealed = sealed;
    this.#keep(sealed);
    return history.get(id);
  }

  /**
   * Stores the machine as it runs, in no history: what the next start goes on from; and checkpoints of it, in the same
   * commit. Answers how many bytes that took, and what was stored of the checkpoints.
   * @throws unsupported, missing-object, storage-full
   */
  async storeRunning(
    running: RunningParts,
    checkpoints: readonly CheckpointToStore[] = [],
  ): Promise<{ bytes: number; noted: readonly NotedCheckpoint[] }> {
    const { history, source, content } = this.#parts;
    if (history.head === undefined) return { bytes: 0, noted: [] };
    const { objects, noted, settle, stored } = await sealCheckpoints(checkpoints, {
      live: running.live,
      stored: (ids) => history.stored(ids),
      seal: (machine, parts) => this.#sealMachine(machine, parts),
    });
    const { sealed, memory, ...last } = await this.#sealRunning(running, stored);
    const record = runningRecord({ tree: sealed.id, memory: memory.id, parent: history.head });
    const own = [...objects, ...last.objects].filter((object) => !source.isInImage(object.id));
    const refs = noted.map(({ id, object }) => ({ name: nameOf(id), value: object }));
    await history.setRunning(record, { objects: own, checkpoints: refs });
    settle(content);
    sealed.settle(content);
    memory.settle();
    return { bytes: own.reduce((sum, { bytes }) => sum + bytes.length, 0), noted };
  }

  /**
   * The tree of a checkpoint that was taken just now, to be handed over with it, to who has that of `before`.
   * @throws limit-exceeded, missing-object, corrupt-object
   */
  handOver(checkpoint: MachineCheckpoint, before?: HandedFiles): HandedFiles {
    const { source } = this.#parts;
    return handOverTree(checkpoint, { previous: this.#sealed, base: this.#base(), source, before });
  }

  /** What must stay stored beside snapshots: the numbers of files come from it. */
  get baseId(): ObjectId {
    return this.#base().id;
  }

  /** The tree that was last published or restored. */
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

  /**
   * Finds the tree of a snapshot as its machine knew it; the answer puts the live tree there.
   * @throws missing-object, corrupt-object
   */
  prepareRunning(id: SnapshotId): PreparedMachine | undefined {
    const { tree, memory } = this.#parts.history.get(id);
    return memory === undefined ? undefined : this.#prepare({ tree, memory });
  }

  /** The same for a machine that is in no history, all of whose memory is verified. @throws missing-object, corrupt-object */
  prepareMachine({ tree, memory }: { readonly tree: ObjectId; readonly memory: ObjectId }): PreparedMachine {
    const { source } = this.#parts;
    const prepared = this.#prepare({ tree, memory });
    for (const bundle of decodeMemoryHead(source.verified(memory)).bundles) source.verified(bundle);
    return prepared;
  }

  #prepare({ tree, memory }: { readonly tree: ObjectId; readonly memory: ObjectId }): PreparedMachine {
    const { sealed, base } = loadRunningTree({ tree, memory }, this.#parts.source);
    const restore = () => {
      this.#parts.tree.restore(sealed.snapshot);
      this.#sealed = sealed;
      this.#base = () => base;
      this.#bases.set(sealed, this.#base);
      this.#keep(sealed);
    };
    return { memory, restore };
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
    const now = from === 'now' || to === 'now' ? await this.#seal(this.#parts.tree.snapshot()) : undefined;
    const idOf = (at: TreeRef) =>
      (at === 'now' ? now?.sealed.id : undefined) ?? this.#parts.history.get(at as SnapshotId).tree;
    const changes = await this.#compare(idOf(from), idOf(to), now?.objects ?? []);
    return changes.map(describeChange);
  }

  /** What differs from a tree of this sandbox to a snapshot of another. @throws missing-object, corrupt-object */
  async diffToOther(from: TreeRef, other: Pick<StoredSnapshot, 'tree' | 'read'>): Promise<Change[]> {
    const now = from === 'now' ? await this.#seal(this.#parts.tree.snapshot()) : undefined;
    const { source, history } = this.#parts;
    const tree = now?.sealed.id ?? history.get(from as SnapshotId).tree;
    return source.withPassing(now?.objects ?? [], async () => {
      const get = async (id: ObjectId) => source.find(id) ?? other.read(id);
      const { changes } = await diffTrees(get, tree, other.tree);
      return changes.map(describeChange);
    });
  }

  /** What differs between a tree that is stored or the image's, and the files as they are now. @throws missing-object, corrupt-object */
  async changesSince(tree: ObjectId): Promise<readonly Pick<Change, 'type'>[]> {
    const { sealed, objects } = await this.#seal(this.#parts.tree.snapshot());
    return this.#compare(tree, sealed.id, objects);
  }

  async #seal(snapshot: TreeSnapshot): Promise<{ sealed: SealedTree; objects: StoredObject[] }> {
    const objects: StoredObject[] = [];
    const slices = sealSlices(snapshot, { previous: this.#sealed });
    for (let slice = slices.next(); ; slice = slices.next()) {
      if (slice.done) {
        this.#bases.set(slice.value.sealed, this.#base);
        return { sealed: slice.value.sealed, objects };
      }
      objects.push(...slice.value);
      // The guest and messages run between slices of hashing.
      await nextTask();
    }
  }

  /** The machine as it is now, with its files: objects of both. @throws unsupported */
  #sealRunning(
    { live, terminals }: RunningParts,
    stored: IsStored = (ids) => this.#parts.history.stored(ids),
  ): Promise<SealedMachine> {
    return this.#sealMachine(live.take(), { live, terminals: terminals(), stored });
  }

  async #sealMachine(
    checkpoint: MachineCheckpoint,
    parts: { live: LiveMachine; terminals: readonly ShownTerminal[]; stored: IsStored },
  ): Promise<SealedMachine> {
    const { sealed, objects } = await this.#seal(checkpoint.tree);
    const memory = await sealCheckpoint(checkpoint, { ...parts, sealed, base: this.#base() });
    return { sealed, objects: [...objects, ...memory.objects], memory };
  }

  /** The tree and, as far as that can be stored, the machine of the same instant. */
  async #sealBeside(
    tree: LiveTree,
    beside: RunningParts | undefined,
  ): Promise<{
    sealed: SealedTree;
    objects: readonly StoredObject[];
    memory: undefined;
    noted: SealedCheckpoint | undefined;
  }> {
    try {
      if (beside) {
        const { memory: noted, ...files } = await this.#sealRunning(beside);
        return { ...files, memory: undefined, noted };
      }
    } catch {
      // The files are worth storing without.
    }
    return { ...(await this.#seal(tree.snapshot())), memory: undefined, noted: undefined };
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

  async #summary(from: ObjectId, to: ObjectId, objects: readonly StoredObject[]): Promise<ChangeSummary> {
    return summarize(await this.#compare(from, to, objects));
  }

  async #compare(
    from: ObjectId,
    to: ObjectId,
    passing: readonly StoredObject[],
  ): Promise<readonly TreeChange[]> {
    const { source } = this.#parts;
    return source.withPassing(passing, async () => {
      const { changes } = await diffTrees(async (id) => source.read(id), from, to);
      return changes;
    });
  }
}

function summarize(changes: readonly TreeChange[]): ChangeSummary {
  const files = changes.filter((change) => !concernsDirectory(change));
  const count = (...types: TreeChange['type'][]) =>
    files.filter((change) => types.includes(change.type)).length;
  return {
    created: count('created'),
    modified: count('modified', 'metadata', 'renamed'),
    deleted: count('deleted'),
    paths: changes.slice(0, limits.snapshotPaths).map((change) => toDisplayText(change.path)),
  };
}

function describeChange(change: TreeChange): Change {
  return {
    type: change.type,
    path: toDisplayText(change.path),
    ...(change.from === undefined ? {} : { from: toDisplayText(change.from) }),
    sizeBytes: (change.after ?? change.before)?.sizeBytes ?? 0,
    ...(concernsDirectory(change) ? { isDirectory: true } : {}),
  };
}

function concernsDirectory({ before, after }: TreeChange): boolean {
  return (after ?? before)?.directory !== undefined;
}

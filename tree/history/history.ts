import type { ObjectId } from '../content/object-id.ts';
import { hashObject } from '../objects/hash-object.ts';
import type { StoredObject } from '../objects/object-store.ts';
import type { Commit, RefChange, SandboxStore } from '../objects/sandbox-store.ts';
import { historyError, shortId } from './history-error.ts';
import {
  checkpointPrefix,
  graphChanges,
  headRef,
  keepRef,
  nodeFromRef,
  outputRefs,
  refOfNode,
  runningRef,
  snapshotIdFrom,
  snapshotPrefix,
  tagPrefix,
} from './history-refs.ts';
import { choosePruned, type KeepPolicy, keepPolicyFrom, keepPolicyText } from './keep-policy.ts';
import { historyLimits } from './limits.ts';
import { assertClosed, wholeObjects } from './lost-objects.ts';
import { reachableObjects } from './reachable-objects.ts';
import { planRetention } from './retention.ts';
import { decodeSnapshot, encodeSnapshot } from './snapshot-codec.ts';
import { SnapshotGraph } from './snapshot-graph.ts';
import type { SnapshotId, SnapshotRecord } from './snapshot-record.ts';

/** A snapshot as the history shows it: `parents` are its nearest ancestors that were not forgotten. */
export interface HistorySnapshot extends SnapshotRecord {
  readonly id: SnapshotId;
  readonly tags: readonly string[];
}

export interface HistoryOptions {
  /** Whether the image has an object, with all that it refers to. */
  readonly isElsewhere?: (id: ObjectId) => boolean;
}

/** Names that a tag cannot have, because references use them already. */
const reservedNames: ReadonlySet<string> = new Set(['HEAD', 'now']);

/**
 * The tree of a sandbox's snapshots, with HEAD and tags, over its store. A snapshot is published in one commit with
 * its objects (H-4). The edges of the tree are refs, so that a forgotten snapshot leaves no hole. Changes are
 * serialized; reads see the last commit. Errors carry a `code` of the protocol.
 */
export class History {
  readonly #store: SandboxStore;
  readonly #isElsewhere: (id: ObjectId) => boolean;
  readonly #records: Map<SnapshotId, SnapshotRecord> = new Map();
  readonly #tags: Map<string, SnapshotId> = new Map();
  #graph: SnapshotGraph;
  #head: SnapshotId | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(store: SandboxStore, options: HistoryOptions) {
    this.#store = store;
    this.#isElsewhere = options.isElsewhere ?? (() => false);
    this.#graph = new SnapshotGraph(store.refs(snapshotPrefix).flatMap(nodeFromRef));
    this.#head = snapshotIdFrom(store.ref(headRef));
    for (const [name, value] of store.refs(tagPrefix)) {
      const id = snapshotIdFrom(value);
      if (id) this.#tags.set(name.slice(tagPrefix.length), id);
    }
    for (const { id } of this.#graph.nodes()) this.#readRecord(id);
  }

  /** The history in `store`, which stays the caller's. It opens even if a snapshot is damaged. */
  static open(store: SandboxStore, options: HistoryOptions = {}): History {
    return new History(store, options);
  }

  /** The snapshot that the files come from; `undefined` in an empty history. */
  get head(): SnapshotId | undefined {
    return this.#head;
  }

  /** Snapshots whose record cannot be read. Using one rejects; the others work. */
  get damaged(): SnapshotId[] {
    return this.#graph.nodes().flatMap(({ id }) => (this.#records.has(id) ? [] : [id]));
  }

  get tags(): ReadonlyMap<string, SnapshotId> {
    return this.#tags;
  }

  /** How many snapshots there are, damaged ones included. */
  get size(): number {
    return this.#graph.size;
  }

  /** Every readable snapshot, oldest first. */
  list(): HistorySnapshot[] {
    const tagged = this.#tagsById();
    return this.#graph.nodes().flatMap(({ id, parents }) => {
      const record = this.#records.get(id);
      return record ? [{ ...record, id, parents, tags: tagged.get(id) ?? [] }] : [];
    });
  }

  /** Whether a snapshot is in the history. */
  has(id: SnapshotId): boolean {
    return this.#graph.get(id) !== undefined;
  }

  /** @throws not-found; corrupt-object when its record is damaged */
  get(id: SnapshotId): HistorySnapshot {
    const node = this.#graph.get(id);
    if (!node) throw historyError('not-found', `There is no snapshot "${shortId(id)}"`, { snapshot: id });
    const record = this.#records.get(id);
    if (!record) {
      const why = `Cannot read snapshot "${shortId(id)}": its record is damaged`;
      throw historyError('corrupt-object', why, { snapshot: id });
    }
    const tags = [...this.#tags].flatMap(([name, tagged]) => (tagged === id ? [name] : []));
    return { ...record, id, parents: node.parents, tags };
  }

  /** The snapshot that `text` names: `HEAD`, a tag, an id, or the start of one id. @throws not-found, conflict */
  resolve(text: string): SnapshotId {
    const named = text === 'HEAD' ? this.#head : this.#tags.get(text);
    if (named) return named;
    const matches = this.#graph.nodes().filter(({ id }) => text.length >= 4 && id.startsWith(text));
    const [match] = matches;
    if (!match) throw historyError('not-found', `There is no snapshot or tag ${JSON.stringify(text)}`);
    if (matches.length > 1) throw historyError('conflict', `${text} is the start of several snapshots`);
    return match.id;
  }

  /** Oldest first. */
  children(id: SnapshotId): readonly SnapshotId[] {
    return this.#graph.children(id);
  }

  /** The tips of the branches, oldest first. */
  branches(): SnapshotId[] {
    return this.#graph.leaves();
  }

  /** `from`, or HEAD, and its first parents, newest first. */
  log(from: SnapshotId | undefined = this.#head): SnapshotId[] {
    return from === undefined ? [] : this.#graph.line(from);
  }

  /**
   * Publishes a snapshot together with the objects that are new with it; HEAD moves to it unless
   * `moveHead` is false. Durable when it resolves.
   * @throws missing-object when an object in `objects` refers to one that is nowhere; storage-full
   */
  add(
    record: SnapshotRecord,
    options: {
      readonly objects: readonly StoredObject[];
      readonly moveHead?: boolean;
      /** A record of the running machine at this snapshot, published in the same commit (`setRunning`). */
      readonly running?: ((head: SnapshotId) => SnapshotRecord) | undefined;
    },
  ): Promise<SnapshotId> {
    return this.#inTurn(async () => {
      const stored = encodeSnapshot(record);
      const running = options.running && encodeSnapshot(options.running(stored.id));
      const objects = [...options.objects, stored, ...(running ? [running] : [])];
      await assertClosed(objects, this.#objects(`Cannot save snapshot "${shortId(stored.id)}"`));
      const isKnown = this.#graph.get(stored.id) !== undefined;
      const nodes = isKnown ? [] : [this.#graph.placeOf(stored.id, record.parents)];
      const moves = options.moveHead === false ? [] : [{ name: headRef, value: stored.id }];
      const notes = running ? [{ name: runningRef, value: running.id }] : [];
      await this.#store.commit({ objects, refs: [...nodes.map(refOfNode), ...moves, ...notes] });
      for (const node of nodes) this.#graph.add(node);
      this.#records.set(stored.id, decodeSnapshot(stored.bytes));
      if (moves.length > 0) this.#head = stored.id;
      return stored.id;
    });
  }

  /**
   * Publishes an imported snapshot, whose objects are stored, without moving HEAD. Checks that none is missing.
   * Durable when it resolves. @throws missing-object, corrupt-object, storage-full
   */
  async addWhole(record: SnapshotRecord): Promise<SnapshotId> {
    const { id } = encodeSnapshot(record);
    await wholeObjects(id, this.#objects(`Cannot import snapshot "${shortId(id)}"`));
    return this.add(record, { objects: [], moveHead: false });
  }

  /**
   * Moves HEAD to `id`. `running` is a stored record of a machine there (`setRunning`). Durable when it resolves.
   * @throws not-found, corrupt-object
   */
  moveHead(id: SnapshotId, { running }: { running?: SnapshotId | undefined } = {}): Promise<void> {
    return this.#inTurn(async () => {
      this.get(id);
      const notes = running ? [{ name: runningRef, value: running }] : [];
      await this.#store.commit({ objects: [], refs: [{ name: headRef, value: id }, ...notes] });
      this.#head = id;
    });
  }

  /** Tags a snapshot; `undefined` removes the tag. @throws not-found, invalid-argument */
  setTag(name: string, id: SnapshotId | undefined): Promise<void> {
    return this.#inTurn(async () => {
      const bytes = new TextEncoder().encode(name).length;
      if (bytes === 0 || bytes > historyLimits.tagBytes) {
        throw historyError(
          'invalid-argument',
          `A tag has 1 to ${historyLimits.tagBytes} bytes, not ${bytes}`,
        );
      }
      if (id && (reservedNames.has(name) || snapshotIdFrom(name))) {
        throw historyError('invalid-argument', `A tag cannot be called "${name}": that means something else`);
      }
      if (id) this.get(id);
      await this.#store.commit({ objects: [], refs: [{ name: tagPrefix + name, value: id }] });
      if (id) this.#tags.set(name, id);
      else this.#tags.delete(name);
    });
  }

  /** Forgets snapshots; `collect` frees their space. @throws not-found; conflict for HEAD and tagged ones */
  forget(ids: readonly SnapshotId[]): Promise<void> {
    return this.#inTurn(() => this.#forget(ids));
  }

  /** What of older snapshots is kept, where that was set. */
  get keepPolicy(): KeepPolicy | undefined {
    return keepPolicyFrom(this.#store.ref(keepRef));
  }

  /** Sets what of older snapshots is kept; `undefined`: what a new history keeps. Durable when it resolves. @throws invalid-argument */
  setKeepPolicy(policy: KeepPolicy | undefined): Promise<void> {
    return this.#inTurn(async () => {
      const value = policy && keepPolicyText(policy);
      await this.#store.commit({ objects: [], refs: [{ name: keepRef, value }] });
    });
  }

  /** The snapshots that retention would forget now, oldest first: by `policy`, what was set, or what a new history keeps. */
  prunable(policy: KeepPolicy | undefined = this.keepPolicy): SnapshotId[] {
    if (policy) keepPolicyText(policy);
    const snapshots = this.list();
    if (!policy) return planRetention(snapshots.map((each) => ({ ...each, pinned: this.#isPinned(each) })));
    return choosePruned(
      snapshots.map((each) => ({ ...each, pinned: this.#staysAnyway(each) })),
      policy,
    );
  }

  /** Forgets these snapshots, as `prunable` does, and answers their ids. @throws invalid-argument, storage-full */
  retain(policy?: KeepPolicy): Promise<SnapshotId[]> {
    return this.#inTurn(async () => {
      const ids = this.prunable(policy);
      if (ids.length > 0) await this.#forget(ids);
      return ids;
    });
  }

  /** The newest snapshot that both come from, or are. */
  commonAncestor(one: SnapshotId, other: SnapshotId): SnapshotId | undefined {
    return this.#graph.commonAncestor(one, other);
  }

  /** The record of the running machine, if its parent is HEAD. It is not part of the history. */
  get running(): SnapshotRecord | undefined {
    const id = snapshotIdFrom(this.#store.ref(runningRef));
    const bytes = id && this.#store.readSync(id);
    if (!bytes || hashObject(bytes) !== id) return undefined;
    try {
      const record = decodeSnapshot(bytes);
      return record.parents[0] === this.#head ? record : undefined;
    } catch {
      return undefined;
    }
  }

  /** Replaces the record of the running machine. Durable when it resolves. @throws as `add` does */
  setRunning(
    record: SnapshotRecord,
    { objects, checkpoints = [] }: { objects: readonly StoredObject[]; checkpoints?: readonly RefChange[] },
  ): Promise<void> {
    return this.#inTurn(async () => {
      const stored = encodeSnapshot(record);
      const all = [...objects, stored];
      await assertClosed(all, this.#objects('Cannot save the machine as it runs'));
      const refs = [...checkpoints, { name: runningRef, value: stored.id }];
      await this.#store.commit({ objects: all, refs });
    });
  }

  /** Forgets stored checkpoints, by their refs; `collect` frees their space. Durable when it resolves. */
  forgetCheckpoints(names: readonly string[]): Promise<void> {
    return this.commitBeside({ objects: [], refs: names.map((name) => ({ name, value: undefined })) });
  }

  /** Commits what is kept beside the history, in its turn: it must not touch refs of the history. @throws as `SandboxStore.commit` */
  commitBeside(commit: Commit): Promise<void> {
    return this.#inTurn(() => this.#store.commit(commit));
  }

  /** Which of these objects are stored. */
  stored(ids: readonly ObjectId[]): Promise<ReadonlySet<ObjectId>> {
    return this.#store.has(ids);
  }

  /**
   * Every stored object that a snapshot, a stored checkpoint or the running machine's record refers to, and `keep`
   * with all that it refers to.
   */
  async live(keep: Iterable<ObjectId> = []): Promise<ReadonlySet<ObjectId>> {
    const running = snapshotIdFrom(this.#store.ref(runningRef)) ?? [];
    const checkpoints = this.#store
      .refs(checkpointPrefix)
      .flatMap(([, value]) => snapshotIdFrom(value) ?? []);
    const roots = [...this.#graph.nodes().map(({ id }) => id), running, ...checkpoints, ...keep].flat();
    const { ids } = await reachableObjects(roots, { read: (id) => this.#store.readSync(id) });
    return ids;
  }

  /**
   * Deletes objects that no snapshot needs, except what was kept of output, and `keep`: the content of unlinked files that are still open.
   * Publishing waits meanwhile. Resolves to the bytes freed.
   */
  collect(keep: Iterable<ObjectId> = []): Promise<number> {
    return this.#inTurn(async () => {
      const live = new Set(await this.live(keep));
      for (const { id } of outputRefs(this.#store)) live.add(id);
      return this.#store.sweep(live);
    });
  }

  /**
   * Whether as many bytes were stored since garbage was last collected as that left: what a collection copies is paid
   * for by what was written, so that all of them together cost a constant for each byte.
   */
  get isCollectionDue(): boolean {
    const { sizeBytes, sweptBytes } = this.#store;
    return sizeBytes >= 2 * sweptBytes;
  }

  /** Checks that every object of a snapshot is there. @throws missing-object or corrupt-object naming the snapshot */
  async assertRestorable(id: SnapshotId): Promise<void> {
    this.get(id);
    await wholeObjects(id, this.#objects(`Cannot restore snapshot "${shortId(id)}"`));
  }

  /** Checks that every object of a checkpoint's record is there. @throws missing-object or corrupt-object */
  async assertWhole(record: SnapshotId, { checkpoint }: { checkpoint: number }): Promise<void> {
    await wholeObjects(record, this.#objects(`Cannot restore checkpoint ${checkpoint}`));
  }

  #objects(action: string): Parameters<typeof wholeObjects>[1] {
    return { store: this.#store, isElsewhere: this.#isElsewhere, action };
  }

  async #forget(ids: readonly SnapshotId[]): Promise<void> {
    const tagged = this.#tagsById();
    for (const id of ids) this.#assertForgettable(id, tagged.get(id)?.[0]);
    const graph = this.#graph.without(new Set(ids));
    await this.#store.commit({ objects: [], refs: graphChanges(this.#graph, graph) });
    this.#graph = graph;
    for (const id of ids) this.#records.delete(id);
  }

  /** Of all snapshots at once: to look for those of each takes the product of both. */
  #tagsById(): ReadonlyMap<SnapshotId, readonly string[]> {
    const tagged = new Map<SnapshotId, string[]>();
    for (const [name, id] of this.#tags) {
      const names = tagged.get(id);
      if (names) names.push(name);
      else tagged.set(id, [name]);
    }
    return tagged;
  }

  #assertForgettable(id: SnapshotId, tag: string | undefined): void {
    if (!this.#graph.get(id)) throw historyError('not-found', `There is no snapshot "${shortId(id)}"`);
    const why = id === this.#head ? 'it is HEAD' : tag === undefined ? undefined : `it is tagged "${tag}"`;
    if (why)
      throw historyError('conflict', `Cannot forget snapshot "${shortId(id)}": ${why}`, { snapshot: id });
  }

  #isPinned({ id, tags, cause, parents }: HistorySnapshot): boolean {
    return id === this.#head || tags.length > 0 || parents.length === 0 || cause.type === 'manual';
  }

  /** Whatever a policy says. */
  #staysAnyway({ id, tags, memory, cause, parents }: HistorySnapshot): boolean {
    const isAskedFor = memory !== undefined && cause.type === 'manual';
    return id === this.#head || tags.length > 0 || parents.length === 0 || isAskedFor;
  }

  #readRecord(id: SnapshotId): void {
    const bytes = this.#store.readSync(id);
    if (bytes === undefined || hashObject(bytes) !== id) return;
    try {
      this.#records.set(id, decodeSnapshot(bytes));
    } catch {
      // It stays in the graph without a record; `damaged` lists it.
    }
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

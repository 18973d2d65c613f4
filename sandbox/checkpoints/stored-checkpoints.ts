import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { parseObjectId } from '../../tree/content/object-id.ts';
import { decodeCheckpoint, type StoredCheckpoint } from '../../tree/history/checkpoint-codec.ts';
import type { History } from '../../tree/history/history.ts';
import { checkpointPrefix } from '../../tree/history/history-refs.ts';
import { decodeMemoryHead } from '../../tree/history/memory-head.ts';
import { decodeSnapshot } from '../../tree/history/snapshot-codec.ts';
import type { SnapshotId, SnapshotRecord } from '../../tree/history/snapshot-record.ts';
import { nextTask } from '../../tree/next-task.ts';
import { hashObject } from '../../tree/objects/hash-object.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import { type NotedCheckpoint, nameOf } from '../memory/checkpoint-to-store.ts';
import { leastMissed } from './thin-out.ts';

/** Taken away at once where there are too many. */
const dropShare = 10;

/**
 * The checkpoints in the store: those of machines of before, and of this one. Each has a ref of its
 * own, so a crash leaves a checkpoint or none. Nothing that is read back is believed: what is damaged is left out of the
 * list, or refused when it is gone to, and the others stay.
 */
export class StoredCheckpoints {
  readonly #store: SandboxStore;
  readonly #history: History;
  #noted: Map<number, NotedCheckpoint> | undefined;
  /** Objects that a checkpoint needs for its memory. */
  readonly #needs = new Map<number, readonly ObjectId[]>();

  constructor({ store, history }: { readonly store: SandboxStore; readonly history: History }) {
    this.#store = store;
    this.#history = history;
  }

  /** The highest number that was given. */
  get lastId(): number {
    return Math.max(0, ...this.#numbers());
  }

  /** Oldest first. They are read when this is asked for the first time. */
  list(): readonly NotedCheckpoint[] {
    this.#noted ??= new Map(this.#numbers().flatMap((id) => this.#readNoted(id) ?? []));
    return [...this.#noted.values()].sort((a, b) => a.id - b.id);
  }

  has(id: number): boolean {
    return this.#store.ref(nameOf(id)) !== undefined;
  }

  /** The machine as it was. @throws not-found, missing-object, corrupt-object */
  record(id: number): { readonly id: SnapshotId; readonly record: SnapshotRecord } {
    const { record } = this.#read(id);
    return { id: record, record: this.#decode(id, record, decodeSnapshot) };
  }

  /** As `CheckpointHistory.screenAt`. @throws not-found, missing-object, corrupt-object */
  screenAt(id: number, pid: number): Uint8Array {
    const { screens } = this.#read(id);
    return (screens.find((one) => one.pid === pid) ?? screens[0])?.shown ?? new Uint8Array();
  }

  /** To be told once these are durable. Forgets others, where there are more than may be. */
  async add(checkpoints: readonly NotedCheckpoint[]): Promise<void> {
    if (checkpoints.length === 0) return;
    this.list();
    for (const checkpoint of checkpoints) this.#noted?.set(checkpoint.id, checkpoint);
    await this.#makeRoom();
  }

  /** Forgets checkpoints whose snapshot is no more: what they stood on is not kept for them alone. */
  async keepWithin(isKept: (id: SnapshotId) => boolean): Promise<void> {
    await this.#forget(this.list().filter(({ head }) => !isKept(head)));
  }

  /** Bytes in the store that these need for their memory, what they share counted once. */
  async usedBytes(checkpoints: readonly NotedCheckpoint[] = this.list()): Promise<number> {
    const ids = new Set<ObjectId>();
    for (const checkpoint of checkpoints) {
      for (const id of await this.#needsOf(checkpoint)) ids.add(id);
    }
    let bytes = 0;
    for (const id of ids) bytes += this.#store.sizeOf(id);
    return bytes;
  }

  async #makeRoom(): Promise<void> {
    const all = this.list();
    let left = all;
    while (
      left.length > limits.storedCheckpoints ||
      (left.length > 1 && (await this.usedBytes(left)) > limits.storedCheckpointsBytes)
    ) {
      const count = Math.max(1, Math.ceil(left.length / dropShare));
      const gone = leastMissed(left, { count, nowMs: Date.now() });
      left = left.filter(({ id }) => !gone.has(id));
    }
    const kept = new Set(left);
    await this.#forget(all.filter((checkpoint) => !kept.has(checkpoint)));
  }

  async #forget(checkpoints: readonly NotedCheckpoint[]): Promise<void> {
    if (checkpoints.length === 0) return;
    await this.#history.forgetCheckpoints(checkpoints.map(({ id }) => nameOf(id)));
    for (const { id } of checkpoints) {
      this.#noted?.delete(id);
      this.#needs.delete(id);
    }
  }

  /** A machine's first look at many reads the head of each: others run in between. */
  async #needsOf({ id, object }: NotedCheckpoint): Promise<readonly ObjectId[]> {
    const known = this.#needs.get(id);
    if (known) return known;
    await nextTask();
    const needs: ObjectId[] = [object];
    try {
      const { id: own, record } = this.record(id);
      needs.push(own);
      if (record.memory !== undefined) {
        const { tree, bundles } = this.#decode(id, record.memory, decodeMemoryHead);
        needs.push(record.memory, tree, ...bundles);
      }
    } catch (cause) {
      if (!(cause instanceof SandboxError)) throw cause; // What is damaged needs less.
    }
    this.#needs.set(id, needs);
    return needs;
  }

  #numbers(): number[] {
    const names = this.#store.refs(checkpointPrefix).map(([name]) => name.slice(checkpointPrefix.length));
    return names.filter((name) => /^[1-9]\d{0,14}$/.test(name)).map(Number);
  }

  #readNoted(id: number): [[number, NotedCheckpoint]] | undefined {
    try {
      const object = parseObjectId(this.#store.ref(nameOf(id)) ?? '');
      const { cause } = this.#read(id);
      const { takenAtMs, parents } = this.record(id).record;
      const [head] = parents;
      return head && [[id, { id, takenAtMs, cause, head, object }]];
    } catch {
      return undefined;
    }
  }

  #read(id: number): StoredCheckpoint {
    const value = this.#store.ref(nameOf(id));
    if (value === undefined) throw noSuchCheckpoint(id);
    return this.#decode(id, value, decodeCheckpoint);
  }

  #decode<Value>(checkpoint: number, id: string, decode: (bytes: Uint8Array) => Value): Value {
    const damaged = (why: string, options?: ErrorOptions): SandboxError =>
      new SandboxError('corrupt-object', `Cannot read checkpoint ${checkpoint}: ${why}`, {
        ...options,
        details: { checkpoint },
      });
    try {
      const bytes = this.#store.readSync(parseObjectId(id));
      if (bytes === undefined) throw damaged('an object of it is missing');
      if (hashObject(bytes) !== id) throw damaged('an object of it is altered');
      return decode(bytes);
    } catch (cause) {
      if (cause instanceof RangeError || cause instanceof TypeError) throw damaged(cause.message, { cause });
      throw cause;
    }
  }
}

export function noSuchCheckpoint(id: number): SandboxError {
  const why = 'memory has no room for it any more, or its machine has been started anew';
  return new SandboxError('not-found', `There is no checkpoint ${id}: ${why}`, {
    details: { checkpoint: id },
  });
}

import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { parseObjectId } from '../../tree/content/object-id.ts';
import type { History } from '../../tree/history/history.ts';
import { momentPrefix } from '../../tree/history/history-refs.ts';
import { decodeMemoryHead } from '../../tree/history/memory-head.ts';
import { decodeMoment, type StoredMoment } from '../../tree/history/moment-codec.ts';
import { decodeSnapshot } from '../../tree/history/snapshot-codec.ts';
import type { SnapshotId, SnapshotRecord } from '../../tree/history/snapshot-record.ts';
import { nextTask } from '../../tree/next-task.ts';
import { hashObject } from '../../tree/objects/hash-object.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import { type NotedMoment, nameOf } from '../memory/moment-to-store.ts';
import { leastMissed } from './thin-out.ts';

/** Taken away at once where there are too many. */
const dropShare = 10;

/**
 * The moments of a recording that are in the store: those of machines of before, and of this one. Each has a ref of its
 * own, so a crash leaves a moment or none. Nothing that is read back is believed: what is damaged is left out of the
 * list, or refused when it is gone to, and the others stay.
 */
export class StoredMoments {
  readonly #store: SandboxStore;
  readonly #history: History;
  #noted: Map<number, NotedMoment> | undefined;
  /** Objects that a moment needs for its memory. */
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
  list(): readonly NotedMoment[] {
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

  /** As `Recording.screenAt`. @throws not-found, missing-object, corrupt-object */
  screenAt(id: number, pid: number): Uint8Array {
    const { screens } = this.#read(id);
    return (screens.find((one) => one.pid === pid) ?? screens[0])?.shown ?? new Uint8Array();
  }

  /** To be told once these are durable. Forgets others, where there are more than may be. */
  async add(moments: readonly NotedMoment[]): Promise<void> {
    if (moments.length === 0) return;
    this.list();
    for (const moment of moments) this.#noted?.set(moment.id, moment);
    await this.#makeRoom();
  }

  /** Forgets moments whose snapshot is no more: what they stood on is not kept for them alone. */
  async keepWithin(isKept: (id: SnapshotId) => boolean): Promise<void> {
    await this.#forget(this.list().filter(({ head }) => !isKept(head)));
  }

  /** Bytes in the store that these need for their memory, what they share counted once. */
  async usedBytes(moments: readonly NotedMoment[] = this.list()): Promise<number> {
    const ids = new Set<ObjectId>();
    for (const moment of moments) {
      for (const id of await this.#needsOf(moment)) ids.add(id);
    }
    let bytes = 0;
    for (const id of ids) bytes += this.#store.sizeOf(id);
    return bytes;
  }

  async #makeRoom(): Promise<void> {
    const all = this.list();
    let left = all;
    while (
      left.length > limits.storedMoments ||
      (left.length > 1 && (await this.usedBytes(left)) > limits.storedMomentsBytes)
    ) {
      const count = Math.max(1, Math.ceil(left.length / dropShare));
      const gone = leastMissed(left, { count, nowMs: Date.now() });
      left = left.filter(({ id }) => !gone.has(id));
    }
    const kept = new Set(left);
    await this.#forget(all.filter((moment) => !kept.has(moment)));
  }

  async #forget(moments: readonly NotedMoment[]): Promise<void> {
    if (moments.length === 0) return;
    await this.#history.forgetMoments(moments.map(({ id }) => nameOf(id)));
    for (const { id } of moments) {
      this.#noted?.delete(id);
      this.#needs.delete(id);
    }
  }

  /** A machine's first look at many reads the head of each: others run in between. */
  async #needsOf({ id, object }: NotedMoment): Promise<readonly ObjectId[]> {
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
    const names = this.#store.refs(momentPrefix).map(([name]) => name.slice(momentPrefix.length));
    return names.filter((name) => /^[1-9]\d{0,14}$/.test(name)).map(Number);
  }

  #readNoted(id: number): [[number, NotedMoment]] | undefined {
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

  #read(id: number): StoredMoment {
    const value = this.#store.ref(nameOf(id));
    if (value === undefined) throw noSuchMoment(id);
    return this.#decode(id, value, decodeMoment);
  }

  #decode<Value>(moment: number, id: string, decode: (bytes: Uint8Array) => Value): Value {
    const damaged = (why: string, options?: ErrorOptions): SandboxError =>
      new SandboxError('corrupt-object', `Cannot read moment ${moment}: ${why}`, {
        ...options,
        details: { moment },
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

export function noSuchMoment(id: number): SandboxError {
  const why = 'the recording has no room for it any more, or its machine has been started anew';
  return new SandboxError('not-found', `There is no moment ${id}: ${why}`, { details: { moment: id } });
}

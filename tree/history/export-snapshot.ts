import type { ObjectId } from '../content/object-id.ts';
import { WorkSlices } from '../next-task.ts';
import { encodeDelta } from '../objects/object-delta.ts';
import type { StoredObject } from '../objects/object-store.ts';
import type { SandboxStore } from '../objects/sandbox-store.ts';
import { BaseTable } from './base-table.ts';
import { historyError, shortId } from './history-error.ts';
import { historyLimits } from './limits.ts';
import { wholeObjects } from './lost-objects.ts';
import { encodeObjectHead, encodeStreamHead, type StreamObject } from './object-stream.ts';
import { Predecessors, type ReceiverHas } from './predecessors.ts';
import type { SnapshotId } from './snapshot-record.ts';
import { encodeBlocks } from './stream-blocks.ts';

interface ExportOptions {
  /** Objects that the receiver has, with all that they refer to: left out of the stream. */
  readonly exclude?: ((id: ObjectId) => boolean) | undefined;
  /** For a slow connection: deflates the stream, and sends deltas against objects that the receiver has. */
  readonly shorten?: ReceiverHas | undefined;
}

/**
 * A snapshot and all objects that it refers to as one stream: for a fork, or for another backend. Checks before the
 * first byte that no object is missing. Yields to other work of the thread.
 * @throws missing-object, corrupt-object
 */
export async function* exportSnapshot(
  store: Pick<SandboxStore, 'readSync' | 'has' | 'corrupt'>,
  id: SnapshotId,
  { exclude, shorten }: ExportOptions = {},
): AsyncGenerator<Uint8Array> {
  const isElsewhere = exclude ?? (() => false);
  const action = `Cannot export snapshot "${shortId(id)}"`;
  const ids = await wholeObjects(id, { store, isElsewhere, action });
  const read = (object: ObjectId): Uint8Array => {
    const bytes = store.readSync(object);
    // The check does not read chunks, so a damaged one is found only here.
    if (!bytes) throw historyError('corrupt-object', `${action}: object ${shortId(object)} is damaged`);
    return bytes;
  };
  yield encodeStreamHead(id);
  yield* encodeBlocks(streamObjects(ids, { read, shorten }), { deflates: shorten !== undefined });
}

async function* streamObjects(
  ids: Iterable<ObjectId>,
  { read, shorten }: { read: (id: ObjectId) => Uint8Array; shorten: ReceiverHas | undefined },
): AsyncGenerator<Uint8Array> {
  const deltas = shorten && new Deltas(shorten);
  const slices = new WorkSlices();
  for (const id of ids) {
    const bytes = read(id);
    const object = deltas?.find({ id, bytes }) ?? { type: 'whole', bytes };
    yield encodeObjectHead(object);
    yield object.type === 'delta' ? object.delta : bytes;
    await slices.end();
  }
  yield encodeObjectHead();
}

/** Chooses a delta to send instead of an object. */
class Deltas {
  readonly #predecessors: Predecessors;
  readonly #table = new BaseTable();

  constructor(has: ReceiverHas) {
    this.#predecessors = new Predecessors(has);
  }

  /** The delta of the next object. Call it in stream order: an object comes after one that refers to it. */
  find(object: StoredObject): (StreamObject & { type: 'delta' }) | undefined {
    const base = this.#predecessors.take(object);
    const most = historyLimits.streamDeltaBytes;
    if (!base || Math.max(base.bytes.length, object.bytes.length) > most) return undefined;
    const delta = encodeDelta(base.bytes, object.bytes);
    if (delta.length >= object.bytes.length) return undefined;
    const number = this.#table.numberOf(base.id);
    if (!this.#table.use(base.id, base.bytes)) return undefined;
    return { type: 'delta', delta, base: number === 0 ? base.id : number };
  }
}

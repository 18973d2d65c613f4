import { WorkSlices } from '../next-task.ts';
import { storedObject } from '../objects/hash-object.ts';
import { decodeDelta } from '../objects/object-delta.ts';
import type { ObjectId } from '../objects/object-id.ts';
import type { ObjectStore, StoredObject } from '../objects/object-store.ts';
import { BaseTable } from './base-table.ts';
import { historyError, shortId } from './history-error.ts';
import { historyLimits } from './limits.ts';
import { objectReferences } from './object-references.ts';
import { ObjectStreamReader, type StreamObject } from './object-stream.ts';

/** Objects that are at hand outside a store, each with all it refers to: those of an image. */
export interface ObjectsElsewhere {
  has(id: ObjectId): boolean;
  /** The bytes stay its own. @throws when it has not, or cannot get at it now */
  read(id: ObjectId): Uint8Array;
}

export interface ImportedObjects {
  readonly root: ObjectId;
  readonly objectCount: number;
  readonly sizeBytes: number;
}

export interface ImportOptions {
  readonly elsewhere?: ObjectsElsewhere;
  /**
   * What of the store the stream may refer to or be made from, asked for once it does; by default all
   * that is there. Whoever knows the id of another object could have it read to them otherwise.
   */
  readonly reachable?: () => Promise<ReadonlySet<ObjectId>>;
  readonly signal?: AbortSignal;
}

/** Bytes gathered before they are put into the store. */
const batchBytes = 4_194_304;

/**
 * Takes in what `exportSnapshot` sends, from anyone: every id is computed here, an object that
 * nothing before it refers to is refused, and at the end nothing may be missing. When it throws,
 * what had come is garbage that `sweep` collects; nothing refers to it.
 * @throws invalid-argument, limit-exceeded, missing-object, storage-full
 */
export async function importObjects(
  stream: AsyncIterable<Uint8Array>,
  store: ObjectStore,
  options: ImportOptions = {},
): Promise<ImportedObjects> {
  const ground = new Ground(store, options);
  const reader = new ObjectStreamReader(stream);
  const slices = new WorkSlices();
  try {
    const root = await reader.readRoot();
    const bases = new Bases(ground);
    const intake = new Intake(store, root);
    for (let object = await reader.readObject(); object; object = await reader.readObject()) {
      options.signal?.throwIfAborted();
      const bytes = object.type === 'whole' ? object.bytes : await bases.apply(object);
      await intake.take(bytes);
      await slices.end();
    }
    return await intake.finish(ground);
  } finally {
    await reader.stop();
  }
}

const nowhere: ObjectsElsewhere = {
  has: () => false,
  read: (id) => {
    throw historyError('missing-object', `Object ${shortId(id)} is missing`);
  },
};

/** What a stream may build on. */
class Ground {
  readonly #store: ObjectStore;
  readonly #elsewhere: ObjectsElsewhere;
  readonly #reachable: ImportOptions['reachable'];
  #allowed: Promise<ReadonlySet<ObjectId>> | undefined;

  constructor(store: ObjectStore, { elsewhere = nowhere, reachable }: ImportOptions) {
    this.#store = store;
    this.#elsewhere = elsewhere;
    this.#reachable = reachable;
  }

  async read(id: ObjectId): Promise<Uint8Array | undefined> {
    const bytes = (await this.#isAllowed(id)) ? await this.#store.get(id) : undefined;
    return bytes ?? (this.#elsewhere.has(id) ? this.#elsewhere.read(id) : undefined);
  }

  /** One of `ids` that it may not, or that is not there. */
  async firstLost(ids: Iterable<ObjectId>): Promise<ObjectId | undefined> {
    const inside = [...ids].filter((id) => !this.#elsewhere.has(id));
    const present = await this.#store.has(inside);
    for (const id of inside) if (!present.has(id) || !(await this.#isAllowed(id))) return id;
    return undefined;
  }

  async #isAllowed(id: ObjectId): Promise<boolean> {
    this.#allowed ??= this.#reachable?.();
    return this.#allowed === undefined || (await this.#allowed).has(id);
  }
}

/** What deltas are made against: what was here before the stream came. */
class Bases {
  readonly #ground: Ground;
  readonly #table = new BaseTable();

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  /** The object that a delta makes. */
  async apply({ base, delta }: StreamObject & { type: 'delta' }): Promise<Uint8Array> {
    const id = typeof base === 'number' ? this.#table.at(base) : base;
    if (id === undefined) throw historyError('invalid-argument', `Cannot import: there is no base ${base}`);
    const bytes = await this.#read(id);
    try {
      if (!this.#table.use(id, bytes)) throw new RangeError('too many objects to choose bases from');
      return decodeDelta(bytes, delta, { maxBytes: historyLimits.streamDeltaBytes });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw historyError('invalid-argument', `Cannot import a delta against ${shortId(id)}: ${why}`);
    }
  }

  async #read(id: ObjectId): Promise<Uint8Array> {
    const bytes = await this.#ground.read(id);
    if (!bytes) throw historyError('missing-object', `Cannot import: base ${shortId(id)} is missing`);
    if (bytes.length <= historyLimits.streamDeltaBytes) return bytes;
    throw historyError('limit-exceeded', `Cannot import a delta against ${bytes.length} bytes`);
  }
}

class Intake {
  readonly #store: ObjectStore;
  readonly #root: ObjectId;
  /** Referred to, not yet here. */
  readonly #expected: Set<ObjectId>;
  readonly #received: Set<ObjectId> = new Set();
  #batch: StoredObject[] = [];
  #batchBytes = 0;
  #sizeBytes = 0;

  constructor(store: ObjectStore, root: ObjectId) {
    this.#store = store;
    this.#root = root;
    this.#expected = new Set([root]);
  }

  async take(bytes: Uint8Array): Promise<void> {
    const object = storedObject(bytes);
    if (!this.#expected.delete(object.id)) {
      throw historyError(
        'invalid-argument',
        `Cannot import object ${shortId(object.id)}: nothing refers to it`,
      );
    }
    this.#received.add(object.id);
    this.#sizeBytes += bytes.length;
    for (const id of referencesOf(object)) if (!this.#received.has(id)) this.#expected.add(id);
    if (
      this.#received.size + this.#expected.size > historyLimits.streamObjects ||
      this.#sizeBytes > historyLimits.streamBytes
    ) {
      throw historyError('limit-exceeded', 'Cannot import: the stream is too large');
    }
    this.#batch.push(object);
    this.#batchBytes += bytes.length;
    if (this.#batchBytes >= batchBytes) await this.#flush();
  }

  async finish(ground: Ground): Promise<ImportedObjects> {
    await this.#flush();
    const lost = await ground.firstLost(this.#expected);
    if (lost) throw historyError('missing-object', `Cannot import: object ${shortId(lost)} is missing`);
    return { root: this.#root, objectCount: this.#received.size, sizeBytes: this.#sizeBytes };
  }

  async #flush(): Promise<void> {
    await this.#store.put(this.#batch);
    this.#batch = [];
    this.#batchBytes = 0;
  }
}

function referencesOf({ id, bytes }: StoredObject): ObjectId[] {
  try {
    return objectReferences(bytes);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw historyError('invalid-argument', `Cannot import object ${shortId(id)}: ${why}`);
  }
}

import type { ObjectId } from '../content/object-id.ts';
import { WorkSlices } from '../next-task.ts';
import { storedObject } from '../objects/hash-object.ts';
import { decodeDelta } from '../objects/object-delta.ts';
import type { ObjectStore, StoredObject } from '../objects/object-store.ts';
import { BaseTable } from './base-table.ts';
import { historyError, shortId } from './history-error.ts';
import { historyLimits } from './limits.ts';
import { objectReferences } from './object-references.ts';
import { ObjectStreamReader, type StreamObject } from './object-stream.ts';

/** Objects outside of the store, each with all that it refers to: those of an image. */
export interface ObjectsElsewhere {
  has(id: ObjectId): boolean;
  /** The caller must not change the bytes. @throws if the object is not there, or cannot be read now */
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
   * Stored objects that the stream may refer to or use as bases; called when the stream first does so. All of them
   * by default. Without it, a sender that knows the id of another object could read that object.
   */
  readonly reachable?: () => Promise<ReadonlySet<ObjectId>>;
  readonly signal?: AbortSignal;
}

/** Bytes gathered before they are put into the store. */
const batchBytes = 4_194_304;

/**
 * Imports a stream of `exportSnapshot` from an untrusted sender: computes every id itself, refuses objects that no
 * earlier object refers to, and requires that none is missing at the end. If it throws, no ref leads to the objects
 * that were stored, and `sweep` deletes them.
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
    const snapshotImport = new Import(store, root);
    for (let object = await reader.readObject(); object; object = await reader.readObject()) {
      options.signal?.throwIfAborted();
      const bytes = object.type === 'whole' ? object.bytes : await bases.apply(object);
      await snapshotImport.take(bytes);
      await slices.end();
    }
    return await snapshotImport.finish(ground);
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

/** The objects that a stream may use besides its own. */
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

  /** One of `ids` that the stream may not use, or that does not exist. */
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

/** A base of a delta: an object that was here before the stream. */
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

class Import {
  readonly #store: ObjectStore;
  readonly #root: ObjectId;
  /** Objects that were referred to and have not arrived yet. */
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

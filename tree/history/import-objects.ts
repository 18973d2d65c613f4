import { storedObject } from '../objects/hash-object.ts';
import type { ObjectId } from '../objects/object-id.ts';
import type { ObjectStore, StoredObject } from '../objects/object-store.ts';
import { historyError, shortId } from './history-error.ts';
import { historyLimits } from './limits.ts';
import { objectReferences } from './object-references.ts';
import { ObjectStreamReader } from './object-stream.ts';

export interface ImportedObjects {
  readonly root: ObjectId;
  readonly objectCount: number;
  readonly sizeBytes: number;
}

export interface ImportOptions {
  /** Whether an object is at hand outside the store, with all it refers to. */
  readonly isElsewhere?: (id: ObjectId) => boolean;
  /**
   * What of the store the stream may refer to, asked for at its end if it does; by default all that is
   * there. Whoever knows the id of another object could have it read to them otherwise.
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
  const reader = new ObjectStreamReader(stream);
  try {
    const root = await reader.readRoot();
    const intake = new Intake(store, root);
    for (let bytes = await reader.readObject(); bytes; bytes = await reader.readObject()) {
      options.signal?.throwIfAborted();
      await intake.take(bytes);
    }
    return await intake.finish(options);
  } finally {
    await reader.stop();
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

  async finish({ isElsewhere = () => false, reachable }: ImportOptions): Promise<ImportedObjects> {
    await this.#flush();
    const outside = [...this.#expected].filter((id) => !isElsewhere(id));
    const present = await this.#store.has(outside);
    const allowed = reachable && outside.length > 0 ? await reachable() : present;
    const lost = outside.find((id) => !present.has(id) || !allowed.has(id));
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

import { SandboxError } from '../../protocol/errors.ts';
import type { ImageSource } from '../../protocol/image-source.ts';
import type { RecordedSnapshot } from '../../recording/format/recording-event.ts';
import type { Recording } from '../../recording/read/recording.ts';
import { receiveObjects } from '../../sandbox/transfer/receive-snapshot.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { History } from '../../tree/history/history.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import { MemoryStore } from '../../tree/objects/memory-store.ts';
import { replayLimits } from './limits.ts';

/** Loads the image of a recording from the site. @throws asset-unavailable, corrupt-object */
export type LoadImage = (digest: string) => Promise<ImageSource>;

/** An object that is in the recording's image and not in its file. Its code is `asset-unavailable`. */
function fromImage(id: ObjectId, image: string): SandboxError {
  const why = `it is in the image “${image}”, which this recording refers to and does not hold`;
  return new SandboxError('asset-unavailable', `Cannot read this: ${why}`, {
    details: { id, fromImage: true },
  });
}

/**
 * The objects of a recording's snapshots, in memory: those of a snapshot, and of all before it in the file, are taken in when it is
 * first looked at. What the file leaves out is its image's, which is read only once somebody has asked for it.
 */
export class RecordedObjects {
  readonly history: History;
  readonly #recording: Recording;
  readonly #loadImage: LoadImage;
  readonly #store = new MemoryStore();
  readonly #order: readonly RecordedSnapshot[];
  /** How many of `#order` are in the store. */
  #taken = 0;
  /** Why those that are not in the store are not. */
  readonly #damaged = new Map<string, unknown>();
  #taking: Promise<void> = Promise.resolve();
  #image: ImageSource | undefined;

  constructor(recording: Recording, loadImage: LoadImage) {
    this.#recording = recording;
    this.#loadImage = loadImage;
    this.#order = snapshotsOf(recording);
    this.history = History.open(this.#store, { isElsewhere: (id) => !this.holds(id) });
  }

  get store(): MemoryStore {
    return this.#store;
  }

  /** The name of the image that the file's snapshots build on; empty where there is none. */
  get imageName(): string {
    return this.#recording.header.coppice.image?.name ?? '';
  }

  /** What the file leaves out, as an export asks for it. */
  get elsewhere(): { readonly tree: undefined; has(id: ObjectId): boolean; read(id: ObjectId): Uint8Array } {
    return {
      tree: undefined,
      has: (id) => !this.holds(id),
      read: (id) => this.#readImage(id),
    };
  }

  /** The tree of a snapshot, whose objects are here from then on. @throws not-found, corrupt-object, limit-exceeded */
  async treeOf(id: SnapshotId): Promise<ObjectId> {
    await this.take(id);
    return this.history.get(id).tree;
  }

  /** Has a snapshot's objects taken in, one call after the other. @throws not-found, corrupt-object, limit-exceeded */
  take(id: SnapshotId): Promise<void> {
    const taking = this.#taking.then(() => this.#take(id));
    this.#taking = taking.catch(() => undefined);
    return taking;
  }

  /** The canonical bytes of an object. @throws what `fromImage` makes, corrupt-object */
  read(id: ObjectId): Uint8Array {
    return this.#store.readSync(id) ?? this.#readImage(id);
  }

  /** Has the image read where the file holds no object. */
  async useImage(): Promise<void> {
    const { image } = this.#recording.header.coppice;
    if (image === undefined || this.#image !== undefined) return;
    this.#image = await this.#loadImage(image.digest);
  }

  async #take(id: SnapshotId): Promise<void> {
    const end = this.#order.findIndex((snapshot) => snapshot.id === id) + 1;
    if (end === 0) {
      const message = `Cannot show snapshot "${id.slice(0, 12)}": this recording does not hold it`;
      throw new SandboxError('not-found', message, { details: { snapshot: id } });
    }
    while (this.#taken < end) {
      const snapshot = this.#order[this.#taken];
      try {
        if (snapshot !== undefined) await this.#takeOne(snapshot);
      } catch (error) {
        if (snapshot !== undefined) this.#damaged.set(snapshot.id, error);
      }
      this.#taken += 1;
    }
    // A later one may do without one that is damaged.
    if (this.#damaged.has(id)) throw this.#damaged.get(id);
  }

  async #takeOne({ id }: RecordedSnapshot): Promise<void> {
    const record = await receiveObjects(this.#bounded(this.#recording.exportOf(id)), this.#store, {
      elsewhere: this.elsewhere,
    });
    const made = await this.history.add(record, { objects: [] });
    if (made === id) return;
    const message = `Cannot show snapshot "${id.slice(0, 12)}": the file holds another one in its place`;
    throw new SandboxError('corrupt-object', message, { details: { snapshot: id } });
  }

  async *#bounded(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      if (this.#store.sizeBytes > replayLimits.objectBytes) {
        const most = replayLimits.objectBytes;
        const message = `Cannot show the files at this moment: those of the recording take more than ${most} bytes`;
        throw new SandboxError('limit-exceeded', message, { details: { limit: most } });
      }
      yield piece;
    }
  }

  /** Whether an object is in the file, as far as that was taken in. */
  holds(id: ObjectId): boolean {
    return this.#store.sizeOf(id) > 0;
  }

  #readImage(id: ObjectId): Uint8Array {
    if (this.#image === undefined || !this.#image.has(id)) throw fromImage(id, this.imageName);
    return this.#image.read(id);
  }
}

/** In the order of the file; one that is there twice counts once. */
export function snapshotsOf({ landmarks }: Pick<Recording, 'landmarks'>): RecordedSnapshot[] {
  const known = new Map<string, RecordedSnapshot>();
  for (const { event } of landmarks)
    if (event.type === 'snapshot' && !known.has(event.id)) known.set(event.id, event);
  return [...known.values()];
}

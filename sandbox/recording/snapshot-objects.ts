import type { ObjectId } from '../../tree/content/object-id.ts';
import { exportSnapshot } from '../../tree/history/export-snapshot.ts';
import type { History, HistorySnapshot } from '../../tree/history/history.ts';
import { encodeSnapshot } from '../../tree/history/snapshot-codec.ts';
import type { SnapshotId, SnapshotRecord } from '../../tree/history/snapshot-record.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import type { ImageObjects } from '../image-objects.ts';

export interface SnapshotObjectsParts {
  readonly store: SandboxStore;
  readonly history: History;
  readonly image: Pick<ImageObjects, 'has' | 'read'>;
}

type ReadableStore = Pick<SandboxStore, 'readSync' | 'has' | 'corrupt'>;

/** A snapshot as a recording has it. */
export interface OpenedSnapshot {
  /** Another one than in the sandbox, where it is without its memory here. */
  readonly snapshot: HistorySnapshot;
  readonly export: AsyncIterable<Uint8Array>;
  /** All of the export is in the file. */
  readonly finish: () => void;
}

/**
 * Objects of snapshots for one recording, each once: without those of the image unless it holds them, and as differences from those of the
 * recording itself only, so that its files can be seen where no image is. It remembers what is in the file by its ids.
 */
export class SnapshotObjects {
  readonly #parts: SnapshotObjectsParts;
  readonly #keepsMemory: boolean;
  readonly #holdsImage: boolean;
  /** What an export is made from. */
  readonly #readable: ReadableStore;
  readonly #had = new Set<ObjectId>();
  /** Of snapshots that are without their memory here, by their id in the sandbox. */
  readonly #renamed = new Map<SnapshotId, SnapshotId>();
  #latest: SnapshotId | undefined;

  constructor(
    parts: SnapshotObjectsParts,
    { keepsMemory, holdsImage }: { readonly keepsMemory: boolean; readonly holdsImage: boolean },
  ) {
    this.#parts = parts;
    this.#keepsMemory = keepsMemory;
    this.#holdsImage = holdsImage;
    this.#readable = holdsImage ? withImage(parts) : parts.store;
  }

  /** Its id in the recording. @throws not-found */
  idOf(id: SnapshotId): SnapshotId {
    return this.#renamed.get(id) ?? this.open(id).snapshot.id;
  }

  /** @throws not-found; the export: missing-object, corrupt-object */
  open(id: SnapshotId): OpenedSnapshot {
    const { history, image } = this.#parts;
    const store = this.#readable;
    const isLeftOut = (object: ObjectId): boolean => !this.#holdsImage && image.has(object);
    const original = history.get(id);
    const { snapshot, readable } =
      this.#keepsMemory || original.memory === undefined
        ? { snapshot: original, readable: store }
        : withoutMemory(original, store);
    const parents = snapshot.parents.map((parent) => this.#renamed.get(parent) ?? parent);
    const fresh = new Set<ObjectId>();
    const exclude = (object: ObjectId): boolean => {
      if (isLeftOut(object) || this.#had.has(object)) return true;
      fresh.add(object);
      return false;
    };
    const read = (object: ObjectId) => (isLeftOut(object) ? undefined : store.readSync(object));
    const root = snapshot.parents.find((parent) => this.#had.has(parent)) ?? this.#latest;
    return {
      snapshot: { ...snapshot, parents },
      export: exportSnapshot(readable, snapshot.id, { exclude, shorten: { root, read } }),
      finish: () => {
        for (const object of fresh) this.#had.add(object);
        if (snapshot.id !== id) this.#renamed.set(id, snapshot.id);
        else this.#latest = id;
      },
    };
  }
}

/** A store, and the image that it does without. */
function withImage({ store, image }: Pick<SnapshotObjectsParts, 'store' | 'image'>): ReadableStore {
  return {
    corrupt: store.corrupt,
    readSync: (object) => store.readSync(object) ?? (image.has(object) ? image.read(object) : undefined),
    has: async (ids) => {
      const present = await store.has(ids.filter((object) => !image.has(object)));
      for (const object of ids) if (image.has(object)) present.add(object);
      return present;
    },
  };
}

/** The same files as a snapshot of their own, which is in no history. */
function withoutMemory(
  original: HistorySnapshot,
  store: ReadableStore,
): { snapshot: HistorySnapshot; readable: ReadableStore } {
  const { id: _id, tags, ...rest } = original;
  const left = { captured: false, why: 'it was left out of the recording' } as const;
  const { memory, processes, sockets } = { memory: left, processes: left, sockets: left };
  const coverage = { ...rest.coverage, memory, processes, sockets };
  const record: SnapshotRecord = { ...rest, memory: undefined, coverage };
  const { id, bytes } = encodeSnapshot(record);
  const readable: ReadableStore = {
    corrupt: store.corrupt,
    readSync: (object) => (object === id ? bytes : store.readSync(object)),
    has: async (ids) => {
      const present = await store.has(ids.filter((object) => object !== id));
      return ids.includes(id) ? present.add(id) : present;
    },
  };
  return { snapshot: { ...record, id, tags }, readable };
}

import { SandboxError } from '../protocol/errors.ts';
import type { ContentSource } from '../tree/content/content-source.ts';
import type { ObjectId } from '../tree/content/object-id.ts';
import { hashObject } from '../tree/objects/hash-object.ts';
import { type LoadedTree, loadTree } from '../tree/objects/load-tree.ts';
import type { StoredObject } from '../tree/objects/object-store.ts';
import type { SandboxStore } from '../tree/objects/sandbox-store.ts';
import type { ImageObjects } from './image-objects.ts';

/**
 * The objects a sandbox can read without waiting: its own store first, then the image. What comes
 * from the image may be fetched, which blocks the worker and so the guest.
 */
export class ObjectSource implements ContentSource {
  readonly #store: SandboxStore;
  readonly #image: ImageObjects;
  /** Objects of a tree that was sealed only to be looked at: never stored. */
  readonly #passing = new Map<ObjectId, Uint8Array>();

  constructor(store: SandboxStore, image: ImageObjects) {
    this.#store = store;
    this.#image = image;
  }

  /** @throws missing-object, corrupt-object, asset-unavailable */
  read(id: ObjectId): Uint8Array {
    return this.#store.readSync(id) ?? this.#passing.get(id) ?? this.#readImage(id);
  }

  /** `read` of what may not be here. @throws asset-unavailable */
  find(id: ObjectId): Uint8Array | undefined {
    const own = this.#store.readSync(id) ?? this.#passing.get(id);
    return own ?? (this.#image.has(id) ? this.#image.read(id) : undefined);
  }

  /** Lets `objects` be read while `look` runs. */
  async withPassing<T>(objects: readonly StoredObject[], look: () => T | Promise<T>): Promise<T> {
    for (const { id, bytes } of objects) this.#passing.set(id, bytes);
    try {
      return await look();
    } finally {
      this.#passing.clear();
    }
  }

  /** Whether an object is in the image, with all it refers to, and so need not be stored. */
  isInImage(id: ObjectId): boolean {
    return this.#image.has(id);
  }

  /** `read` that also proves the bytes are what the id names: for what is shown as history. */
  verified(id: ObjectId): Uint8Array {
    const bytes = this.#store.readSync(id) ?? this.#passing.get(id);
    if (!bytes) return this.#readImage(id); // What an image answers is verified.
    if (hashObject(bytes) === id) return bytes;
    throw new SandboxError('corrupt-object', `Object ${id.slice(0, 12)} is damaged`, { details: { id } });
  }

  /**
   * A stored tree with its history proven, but for the image's directories, each when it is looked at.
   * Those are read from the image, so that a tree may outlive the store.
   */
  loadTree(id: ObjectId): LoadedTree {
    const read = (object: ObjectId) =>
      this.#image.has(object) ? this.#image.read(object) : this.verified(object);
    return loadTree({ read }, id, { known: this.#image.directories });
  }

  #readImage(id: ObjectId): Uint8Array {
    if (this.#image.has(id)) return this.#image.read(id);
    const [code, why] = this.#store.corrupt.has(id)
      ? (['corrupt-object', 'is damaged'] as const)
      : (['missing-object', 'is missing'] as const);
    throw new SandboxError(code, `Object ${id.slice(0, 12)} ${why}`, { details: { id } });
  }
}

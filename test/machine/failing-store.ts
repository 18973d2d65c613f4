import { SandboxError } from '../../protocol/errors.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { MemoryStore } from '../../tree/objects/memory-store.ts';
import type { Commit } from '../../tree/objects/sandbox-store.ts';

/** A store whose disk is full when told so, and that loses or damages objects when told so. */
export class FailingStore extends MemoryStore {
  override readonly corrupt: Set<ObjectId> = new Set();
  /**
   * Every commit of `objects`, or of anything, fails with `storage-full`, and nothing of it is kept:
   * the few bytes of a ref fit where a file does not.
   */
  full: 'objects' | 'all' | undefined;
  readonly #lost = new Set<ObjectId>();
  readonly #written = new Map<ObjectId, Uint8Array>();

  override async commit(commit: Commit): Promise<void> {
    if (this.full === 'all' || (this.full && commit.objects.length > 0))
      throw new SandboxError('storage-full', 'Cannot save: the disk is full');
    await super.commit(commit);
    for (const { id, bytes } of commit.objects) this.#written.set(id, bytes.slice());
  }

  override async has(ids: readonly ObjectId[]): Promise<Set<ObjectId>> {
    return super.has(ids.filter((id) => !this.#lost.has(id)));
  }

  override readSync(id: ObjectId): Uint8Array | undefined {
    return this.#lost.has(id) ? undefined : super.readSync(id);
  }

  /** Forgets the objects that hold `text`; a damaged one is known to have been there. Answers how many. */
  lose(text: string, { damaged = false }: { damaged?: boolean } = {}): number {
    const lost = [...this.#written].flatMap(([id, bytes]) => (Buffer.from(bytes).includes(text) ? [id] : []));
    for (const id of lost) {
      this.#lost.add(id);
      if (damaged) this.corrupt.add(id);
    }
    return lost.length;
  }
}

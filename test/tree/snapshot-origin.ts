import type { ObjectId } from '../../tree/content/object-id.ts';
import { exportSnapshot } from '../../tree/history/export-snapshot.ts';
import { History } from '../../tree/history/history.ts';
import { importObjects } from '../../tree/history/import-objects.ts';
import { reachableObjects } from '../../tree/history/reachable-objects.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { MemoryStore } from '../../tree/objects/memory-store.ts';
import { sealTree } from '../../tree/objects/seal-tree.ts';
import { sampleRecord } from '../conformance/sample-snapshots.ts';

/** A tree whose files change, and the history of its snapshots. */
export class SnapshotOrigin {
  readonly store = new MemoryStore();
  readonly #history = History.open(this.store);
  #nanoseconds = 0;
  readonly #tree = new LiveTree({
    clock: () => {
      this.#nanoseconds = (this.#nanoseconds * 16_807 + 12_345_679) % 999_999_937;
      return { seconds: 1_700_000_000 + (this.#nanoseconds % 60), nanoseconds: this.#nanoseconds };
    },
  });

  put(folder: string, name: string, content: Uint8Array): void {
    const tree = this.#tree;
    const made = { uid: 1000, gid: 1000 };
    const directory =
      tree.lookup(tree.root, folder) || tree.create(tree.root, folder, { mode: 0o040755, ...made });
    const ino = tree.lookup(directory, name) || tree.create(directory, name, { mode: 0o100644, ...made });
    tree.truncate(ino, 0);
    tree.write(ino, 0, content);
  }

  remove(folder: string, name: string): void {
    const directory = this.#tree.lookup(this.#tree.root, folder);
    if (directory > 0) this.#tree.unlink(directory, name);
  }

  async snapshot(): Promise<SnapshotId> {
    const { id, objects } = sealTree(this.#tree.snapshot());
    const parents = this.#history.head ? [this.#history.head] : [];
    return this.#history.add(sampleRecord(id, { parents }), { objects });
  }

  async below(id: SnapshotId): Promise<ReadonlySet<ObjectId>> {
    return (await reachableObjects([id], { read: (object) => this.store.readSync(object) })).ids;
  }

  /** What brings `id` to where `have` is. */
  async snapshotExport(id: SnapshotId, have: SnapshotId): Promise<Uint8Array> {
    const had = await this.below(have);
    const shorten = { root: have, read: (object: ObjectId) => this.store.readSync(object) };
    return collect(exportSnapshot(this.store, id, { exclude: (object) => had.has(object), shorten }));
  }

  /** A store that has the snapshot `have` and nothing else. */
  async receiver(have: SnapshotId): Promise<MemoryStore> {
    const store = new MemoryStore();
    await importObjects(each([await collect(exportSnapshot(this.store, have))]), store);
    return store;
  }
}

/** Bytes as they come, in these pieces. */
export async function* each(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

/** All that comes, in one. */
export async function collect(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return new Uint8Array(Buffer.concat(pieces));
}

import type { ObjectId } from '../content/object-id.ts';
import type { StoredObject } from '../objects/object-store.ts';
import { Log, newSalt } from './log.ts';
import type { LogFile } from './log-file.ts';
import { ObjectIndex } from './object-index.ts';
import { PartBuffer, PartWriter, splitIntoParts } from './part-writer.ts';

/**
 * Writes the first commit of a fresh log in many parts. Until `finish` the file holds no whole
 * commit, so a log that a crash cut short counts as none at all.
 */
export class LogCopy {
  readonly #file: LogFile;
  readonly #salt = newSalt();
  readonly #writer: PartWriter;
  readonly #copied = new Set<ObjectId>();

  constructor(file: LogFile) {
    this.#file = file;
    file.truncate(0);
    this.#writer = new PartWriter(file, { salt: this.#salt, commit: 1, at: 0, buffer: new PartBuffer() });
  }

  has(id: ObjectId): boolean {
    return this.#copied.has(id);
  }

  /** @throws storage-full, or whatever the file throws */
  add(objects: readonly StoredObject[]): void {
    for (const content of splitIntoParts({ objects, refs: [] })) {
      if (content.objects.length > 0) this.#writer.write(content, { more: true });
    }
    for (const { id } of objects) this.#copied.add(id);
  }

  /** Makes everything durable, then writes the commit's last part, which makes the log valid. */
  finish(refs: ReadonlyMap<string, string>): Log {
    this.#file.flush();
    this.#writer.settle();
    this.#writer.write(
      { objects: [], refs: [...refs].map(([name, value]) => ({ name, value })) },
      { more: false },
    );
    this.#file.flush();
    const index = new ObjectIndex();
    for (const [id, location] of this.#writer.locations) index.set(id, location);
    return new Log(this.#file, {
      index,
      refs: new Map(refs),
      salt: this.#salt,
      commit: 1,
      endBytes: this.#writer.endBytes,
      firstCommitBytes: this.#writer.endBytes,
      damage: [],
    });
  }
}

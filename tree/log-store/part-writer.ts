import type { ObjectId } from '../content/object-id.ts';
import type { LogFile } from './log-file.ts';
import { aligned, encodePart, entryBytes, type PartContent, partBytes } from './log-part.ts';
import type { Location } from './object-index.ts';
import { storeError } from './store-error.ts';
import { storeLimits } from './store-limits.ts';

/** Payload that one part takes at most, unless a single object is larger. */
const partPayloadBytes = 4_194_304;

/** Where a commit goes, and the buffer that its parts are laid out in. */
export interface PartPlace {
  readonly salt: bigint;
  readonly commit: number;
  readonly at: number;
  readonly buffer: PartBuffer;
}

/** Writes the parts of one commit, one call each, and says where every object went. Never flushes. */
export class PartWriter {
  readonly #file: LogFile;
  readonly #place: PartPlace;
  readonly #locations: [ObjectId, Location][] = [];
  #part = 0;
  #at: number;
  #settledBytes: number;

  constructor(file: LogFile, place: PartPlace) {
    this.#file = file;
    this.#place = place;
    this.#at = place.at;
    this.#settledBytes = place.at;
  }

  /** End of what was written. */
  get endBytes(): number {
    return this.#at;
  }

  get locations(): readonly [ObjectId, Location][] {
    return this.#locations;
  }

  /** Call after a flush: what was written so far needs no verification when the log is opened. */
  settle(): void {
    this.#settledBytes = this.#at;
  }

  /** @throws storage-full, or whatever the file throws */
  write(content: PartContent, options: { readonly more: boolean }): void {
    const { salt, commit, buffer } = this.#place;
    const start = this.#at;
    const size = partBytes(content);
    if (start + size > storeLimits.fileBytes)
      throw storeFull(`it has reached ${storeLimits.fileBytes} bytes`);
    const bytes = encodePart(content, buffer.take(size), {
      head: { more: options.more, salt, commit, part: this.#part, settledBytes: this.#settledBytes },
      placed: (object, at, checksum) =>
        this.#locations.push([object.id, { at: start + at, length: object.bytes.length, checksum }]),
    });
    const written = this.#file.write(bytes, start);
    // A full disk may show as a short write instead of an exception.
    if (written !== bytes.length) throw storeFull(`${written} of ${bytes.length} bytes were written`);
    this.#at += bytes.length;
    this.#part++;
  }
}

/** One buffer that parts are laid out in; a part that is larger than usual gets its own. */
export class PartBuffer {
  #bytes = new Uint8Array(65_536);

  take(sizeBytes: number): Uint8Array {
    if (sizeBytes <= this.#bytes.length) return this.#bytes;
    const bytes = new Uint8Array(2 ** Math.ceil(Math.log2(sizeBytes)));
    if (sizeBytes <= 2 * partPayloadBytes) this.#bytes = bytes;
    return bytes;
  }
}

/** Cuts what is too much for one part; the refs go into the last one. */
export function* splitIntoParts(content: PartContent): Generator<PartContent & { more: boolean }> {
  let objects: PartContent['objects'][number][] = [];
  let payload = 0;
  for (const object of content.objects) {
    const size = aligned(object.bytes.length) + entryBytes;
    if (objects.length > 0 && payload + size > partPayloadBytes) {
      yield { objects, refs: [], more: true };
      objects = [];
      payload = 0;
    }
    objects.push(object);
    payload += size;
  }
  yield { objects, refs: content.refs, more: false };
}

function storeFull(why: string): Error {
  return storeError('storage-full', `Cannot write to the store: ${why}`);
}

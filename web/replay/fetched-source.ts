import type { RecordingSource } from '../../recording/read/text-blocks.ts';
import { joinBytes } from '../../tree/join-bytes.ts';
import { replayLimits } from './limits.ts';

interface KeptBlob {
  readonly from: number;
  readonly blob: Blob;
}

/** A file that is fetched as far as it is read. What came is kept as blobs, which the browser may have on disk. */
export class FetchedSource implements RecordingSource {
  readonly #pieces: AsyncIterator<Uint8Array>;
  readonly #blobs: KeptBlob[] = [];
  /** What came last, and is in no blob yet. */
  #recent: Uint8Array[] = [];
  #recentFrom = 0;
  #end = 0;
  #fetching: Promise<void> = Promise.resolve();

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  async read(from: number, to: number): Promise<Uint8Array> {
    if (to > this.#end) {
      const fetching = this.#fetching.then(() => this.#fetch(to));
      this.#fetching = fetching.catch(() => undefined);
      await fetching;
    }
    // All that there is, before anything of it moves.
    const stored = this.#blobs.map((kept) => readPart(kept, { from, to }));
    let at = this.#recentFrom;
    const recent = this.#recent.map((piece) => {
      at += piece.length;
      return piece.subarray(Math.max(0, from - at + piece.length), Math.max(0, to - at + piece.length));
    });
    const parts = [...(await Promise.all(stored)), ...recent];
    return joinBytes(
      parts,
      parts.reduce((sum, { length }) => sum + length, 0),
    );
  }

  async #fetch(to: number): Promise<void> {
    while (this.#end < to) {
      const { value, done } = await this.#pieces.next();
      if (done) return;
      this.#recent.push(value);
      this.#end += value.length;
      if (this.#end - this.#recentFrom < replayLimits.blobBytes) continue;
      this.#blobs.push({ from: this.#recentFrom, blob: new Blob(this.#recent as Uint8Array<ArrayBuffer>[]) });
      this.#recent = [];
      this.#recentFrom = this.#end;
    }
  }
}

/** What of a blob lies between two offsets of the file. */
async function readPart(
  { from, blob }: KeptBlob,
  range: { readonly from: number; readonly to: number },
): Promise<Uint8Array> {
  if (range.to <= from || range.from >= from + blob.size) return new Uint8Array(0);
  const part = blob.slice(Math.max(0, range.from - from), range.to - from);
  return new Uint8Array(await part.arrayBuffer());
}

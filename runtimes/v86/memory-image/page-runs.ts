import type { ByteReader } from '../../../tree/content/byte-reader.ts';
import type { ByteWriter } from '../../../tree/content/byte-writer.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import { memoryLimits } from './limits.ts';

/** Pages in a row that lie in a row in one bundle. */
export interface PageRun {
  readonly page: number;
  readonly count: number;
  /** Index among the image's bundles; -1 for pages of zeros. */
  readonly bundle: number;
  /** Of the first page; 0 for pages of zeros. */
  readonly slot: number;
}

/** Where one page is stored. */
export type PagePlace = { readonly bundle: ObjectId; readonly slot: number } | 'zero';

/** The runs of pages in `bundles`. */
export function runsOf(places: ReadonlyMap<number, PagePlace>, bundles: readonly ObjectId[]): PageRun[] {
  const indexOf = new Map(bundles.map((id, index) => [id, index]));
  const runs: PageRun[] = [];
  let last: PageRun = { page: 0, count: 0, bundle: -2, slot: 0 };
  for (const page of Uint32Array.from(places.keys()).sort()) {
    const place = places.get(page) ?? 'zero';
    const bundle = place === 'zero' ? -1 : (indexOf.get(place.bundle) ?? -1);
    const slot = place === 'zero' ? 0 : place.slot;
    const goesOn =
      page === last.page + last.count &&
      bundle === last.bundle &&
      (place === 'zero' || slot === last.slot + last.count);
    if (goesOn) {
      last = { ...last, count: last.count + 1 };
      runs[runs.length - 1] = last;
    } else {
      last = { page, count: 1, bundle, slot };
      runs.push(last);
    }
  }
  return runs;
}

/** The place of every page of `runs`. */
export function placesOf(runs: readonly PageRun[], bundles: readonly ObjectId[]): Map<number, PagePlace> {
  const places = new Map<number, PagePlace>();
  for (const { page, count, bundle, slot } of runs) {
    const id = bundles[bundle];
    for (let at = 0; at < count; at++)
      places.set(page + at, id === undefined ? 'zero' : { bundle: id, slot: slot + at });
  }
  return places;
}

/** Each as the pages left out before it, its length, and where it lies. */
export function writeRuns(runs: readonly PageRun[], writer: ByteWriter): void {
  writer.varint(runs.length);
  let next = 0;
  for (const { page, count, bundle, slot } of runs) {
    writer.varint(page - next);
    writer.varint(count);
    writer.varint(bundle + 1);
    if (bundle >= 0) writer.varint(slot);
    next = page + count;
  }
}

/** @throws RangeError */
export function readRuns(reader: ByteReader, most: { pages: number; bundles: number }): PageRun[] {
  const runs: PageRun[] = [];
  let next = 0;
  for (let left = reader.varint(most.pages); left > 0; left--) {
    const page = next + reader.varint(most.pages);
    const count = reader.varint(most.pages);
    if (count === 0 || page + count > most.pages) reader.refuse('a page is beyond the end of memory');
    const bundle = reader.varint(most.bundles) - 1;
    const slot = bundle < 0 ? 0 : reader.varint(memoryLimits.bundlePages - 1);
    runs.push({ page, count, bundle, slot });
    next = page + count;
  }
  return runs;
}

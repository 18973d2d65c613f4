import { ByteReader } from '../content/byte-reader.ts';
import type { ByteString } from '../content/byte-string.ts';
import { ByteWriter } from '../content/byte-writer.ts';
import type { ObjectKind } from '../content/kinds.ts';
import { treeLimits } from '../limits.ts';
import { nameHash } from '../live/name-hash.ts';
import { storedObject } from './hash-object.ts';
import type { StoredObject } from './object-store.ts';

/** How items of a sorted list are written to pages of one kind. */
export interface PageFormat<T> {
  readonly kind: ObjectKind;
  /** For errors. */
  readonly what: string;
  readonly key: (item: T) => ByteString;
  readonly encode: (item: T, writer: ByteWriter) => void;
  readonly decode: (reader: ByteReader) => T;
}

/** One page and the key of its first item. */
export interface Page {
  readonly first: ByteString;
  readonly object: StoredObject;
}

/**
 * Whether a page ends after `key` whatever is around it (OB-10): one key in 64, chosen by its hash, so
 * that a change moves no boundary but its own.
 */
export function endsPage(key: ByteString): boolean {
  return (nameHash(key) & 63) === 0;
}

/** Writes sorted `items` to pages; the last one may end anywhere. */
export function encodePages<T>(items: readonly T[], format: PageFormat<T>): Page[] {
  const pages: Page[] = [];
  let writer = new ByteWriter();
  let count = 0;
  let first = '';
  items.forEach((item, index) => {
    const key = format.key(item);
    if (count === 0) {
      writer = new ByteWriter();
      writer.byte(format.kind);
      first = key;
    }
    format.encode(item, writer);
    count += 1;
    if (isFull({ key, count, bytes: writer.length }) || index === items.length - 1) {
      pages.push({ first, object: storedObject(writer.finish()) });
      count = 0;
    }
  });
  return pages;
}

/**
 * Reads one page. `isLast` tells whether it is the last of its list: any other one ends at a boundary.
 * @throws RangeError on anything that `encodePages` does not write
 */
export function decodePage<T>(
  bytes: Uint8Array,
  format: PageFormat<T>,
  options: { readonly isLast: boolean },
): T[] {
  const reader = new ByteReader(bytes, format.what);
  reader.kind(format.kind);
  const items: T[] = [];
  let last = '';
  let full = false;
  while (!reader.atEnd) {
    if (full) reader.refuse('it goes on after its boundary');
    const item = format.decode(reader);
    const key = format.key(item);
    if (items.length > 0 && key <= last) reader.refuse('its names are not in order');
    items.push(item);
    last = key;
    full = isFull({ key, count: items.length, bytes: reader.position });
  }
  if (!full && !options.isLast) reader.refuse('it ends before its boundary');
  return items;
}

function isFull(page: { readonly key: ByteString; readonly count: number; readonly bytes: number }): boolean {
  return page.count >= treeLimits.pageEntries || page.bytes >= treeLimits.pageBytes || endsPage(page.key);
}

import { treeLimits } from '../limits.ts';
import { nextEpoch } from './epoch.ts';
import type { ObjectId } from './object-id.ts';
import { allocateBytes } from './slab.ts';

const { pageSize, extentBytes } = treeLimits;

/** The bytes of an extent, in pages; missing pages, and missing bytes at the end of a page, are zero. */
export type Pages = (Uint8Array | undefined)[];

/**
 * One piece of a file, up to `treeLimits.extentBytes`. Without `pages`, its bytes are not in memory and its source
 * has them under `id`.
 */
export interface Extent {
  readonly epoch: number;
  pages: Pages | undefined;
  /** Bit n: page n was made in this epoch, so that the extent's owner may change it in place. */
  owned: number;
  /** The durable chunk with exactly this content. An extent that has one never changes. */
  id: ObjectId | undefined;
  /** Whether it was read since the cache's last search for a victim. */
  used: boolean;
}

const sharedEpoch = nextEpoch();

/** An extent whose bytes are loaded on first access. Owned by no tree, so a write copies it. */
export function remoteExtent(id: ObjectId): Extent {
  return { epoch: sharedEpoch, pages: undefined, owned: 0, id, used: false };
}

/** An extent with the bytes of `pages`, which stay shared until they are written to. */
export function extentOf(pages: Pages, epoch: number): Extent {
  return { epoch, pages, owned: 0, id: undefined, used: true };
}

/** Cuts bytes into pages that are views of them. */
export function toPages(bytes: Uint8Array): Pages {
  const pages: Pages = [];
  for (let at = 0; at < bytes.length; at += pageSize) pages.push(bytes.subarray(at, at + pageSize));
  return pages;
}

/** The first `length` bytes of `pages`, shared. */
export function cutPages(pages: Pages, length: number): Pages {
  const kept = pages.slice(0, Math.ceil(length / pageSize));
  const last = kept.length - 1;
  kept[last] = kept[last]?.subarray(0, length - last * pageSize);
  return kept;
}

/** Bytes of memory that `pages` take. */
export function pagesBytes(pages: Pages | undefined): number {
  let bytes = 0;
  if (pages) for (const page of pages) bytes += page?.length ?? 0;
  return bytes;
}

/** Fills `into` with the bytes from `start` on; absent ones read as zero. */
export function readPages(pages: Pages | undefined, start: number, into: Uint8Array): void {
  for (let done = 0; done < into.length; ) {
    const index = Math.floor((start + done) / pageSize);
    const from = start + done - index * pageSize;
    const count = Math.min(pageSize - from, into.length - done);
    const page = pages?.[index];
    const present = page === undefined ? 0 : Math.max(0, Math.min(page.length - from, count));
    if (page && present > 0) {
      const whole = from === 0 && present === page.length;
      into.set(whole ? page : page.subarray(from, from + present), done);
    }
    if (present < count) into.fill(0, done + present, done + count);
    done += count;
  }
}

/** Writes into an extent of the caller's epoch, whose pages are in memory, copying only shared pages. */
export function writePages(extent: Extent, start: number, bytes: Uint8Array): void {
  extent.pages ??= [];
  const pages = extent.pages;
  const end = Math.min(extentBytes, start + bytes.length);
  for (let at = start; at < end; ) {
    const index = Math.floor(at / pageSize);
    const from = at - index * pageSize;
    const to = Math.min(pageSize, end - index * pageSize);
    const page = writablePage(extent, index, { from, to });
    while (pages.length < index) pages.push(undefined);
    pages[index] = page;
    extent.owned |= 1 << index;
    const whole = at === start && to - from === bytes.length;
    page.set(whole ? bytes : bytes.subarray(at - start, at - start + to - from), from);
    at = index * pageSize + to;
  }
}

function writablePage(extent: Extent, index: number, write: { from: number; to: number }): Uint8Array {
  const page = extent.pages?.[index];
  const isOwned = (extent.owned & (1 << index)) !== 0;
  if (page === undefined) return allocateBytes(write.to);
  if (isOwned && page.length >= write.to) return page;
  if (write.from === 0 && write.to >= page.length) return allocateBytes(write.to);
  // Appending in small steps must not copy the page every time, so growing at least doubles it.
  const room = page.length >= write.to ? page.length : Math.max(write.to, page.length * 2);
  const copy = allocateBytes(Math.min(pageSize, room));
  copy.set(page);
  return copy;
}

import type { Extent } from '../content/extent.ts';
import { cutPages, extentOf, readPages, writePages } from '../content/extent.ts';
import { unfoldContent } from '../content/file-content.ts';
import type { Radix } from '../content/radix.ts';
import { treeLimits } from '../limits.ts';
import type { ContentCache } from './content-cache.ts';
import type { Inode } from './inode.ts';
import { allocated } from './inode.ts';

const { extentBytes } = treeLimits;

/** The extents of a file. @throws what the content source throws, and on a list that does not fit the file */
function extentsOf(inode: Inode, cache: ContentCache): Radix<Extent> {
  // Unfolding does not change the file, so it is done in place, for all snapshots that share the inode.
  inode.extents ??= unfoldContent(inode.content, { sizeBytes: inode.fileBytes, source: cache.source });
  return inode.extents;
}

/** Copies file bytes from `offset` into `into`; answers how many there were. @throws as `extentsOf` */
export function readFileData(
  inode: Inode,
  at: { readonly offset: number; readonly into: Uint8Array; readonly cache: ContentCache },
): number {
  const { offset, into, cache } = at;
  const length = Math.min(into.length, inode.fileBytes - offset);
  if (length <= 0) return 0;
  const extents = extentsOf(inode, cache);
  for (let done = 0; done < length; ) {
    const position = offset + done;
    const index = Math.floor(position / extentBytes);
    const start = position - index * extentBytes;
    const count = Math.min(extentBytes - start, length - done);
    const extent = extents.get(index);
    const part = count === into.length ? into : into.subarray(done, done + count);
    readPages(extent && cache.load(extent), start, part);
    done += count;
  }
  return length;
}

/** How many holes a write of `length` bytes at `offset` would fill. @throws as `extentsOf` */
export function holesIn(
  inode: Inode,
  at: { readonly offset: number; readonly length: number; readonly cache: ContentCache },
): number {
  const extents = extentsOf(inode, at.cache);
  const last = Math.floor((at.offset + at.length - 1) / extentBytes);
  let holes = 0;
  for (let index = Math.floor(at.offset / extentBytes); index <= last; index++) {
    if (extents.get(index) === undefined) holes += 1;
  }
  return holes;
}

/**
 * Writes into an owned inode. Loads all content that it needs before it changes anything.
 * @throws as `extentsOf`, having changed nothing
 */
export function writeFileData(
  inode: Inode,
  at: { readonly offset: number; readonly bytes: Uint8Array; readonly cache: ContentCache },
): void {
  const { offset, bytes, cache } = at;
  const extents = extentsOf(inode, cache);
  const end = offset + bytes.length;
  const first = Math.floor(offset / extentBytes);
  const last = Math.floor((end - 1) / extentBytes);
  // Only the first and the last extent may be written in part; those between them are replaced.
  const head = extents.get(first);
  const tail = first === last ? head : extents.get(last);
  const isReplaced = (index: number): boolean => {
    const base = index * extentBytes;
    return offset <= base && end >= Math.min(base + extentBytes, inode.fileBytes);
  };
  const load = (extent: Extent | undefined, index: number) =>
    extent && (extent.epoch === inode.epoch || !isReplaced(index)) ? cache.load(extent) : undefined;
  const headPages = load(head, first);
  const tailPages = load(tail, last);
  for (let index = first; index <= last; index++) {
    const base = index * extentBytes;
    const from = Math.max(0, offset - base);
    const to = Math.min(extentBytes, end - base);
    const part = first === last ? bytes : bytes.subarray(base + from - offset, base + to - offset);
    const old = extents.get(index);
    let extent = old;
    if (extent === undefined || extent.epoch !== inode.epoch) {
      const held = index === first ? headPages : index === last ? tailPages : undefined;
      extent = extentOf(held?.slice() ?? [], inode.epoch);
      extents.set(index, extent, inode.epoch);
    }
    writePages(extent, from, part);
    if (old === undefined) inode.extentCount += 1;
  }
  inode.fileBytes = Math.max(inode.fileBytes, end);
  inode.content = undefined;
}

/** Sets the length of an owned file; cut bytes read as zero if it grows again. @throws as `extentsOf` */
export function truncateFileData(inode: Inode, sizeBytes: number, cache: ContentCache): void {
  // Also for a file that grows: once its content id is dropped, only the extents say what is in it.
  const extents = extentsOf(inode, cache);
  if (sizeBytes < inode.fileBytes) {
    const index = Math.floor(sizeBytes / extentBytes);
    const kept = sizeBytes - index * extentBytes;
    const partial = kept > 0 ? extents.get(index) : undefined;
    const pages = partial && cutPages(cache.load(partial), kept);
    inode.extentCount -= extents.truncate(kept > 0 ? index + 1 : index, inode.epoch);
    if (pages) extents.set(index, extentOf(pages, inode.epoch), inode.epoch);
  }
  inode.fileBytes = sizeBytes;
  inode.content = undefined;
}

/** The space that a file takes after a write. */
export function allocatedAfterWrite(
  inode: Inode,
  write: { readonly end: number; readonly holes: number },
): number {
  return allocated(Math.max(inode.fileBytes, write.end), inode.extentCount + write.holes);
}

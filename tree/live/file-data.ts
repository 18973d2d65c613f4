import { treeLimits } from '../limits.ts';
import { unfoldContent } from '../objects/file-content.ts';
import type { ContentCache, Extent } from './content-cache.ts';
import type { Inode } from './inode.ts';
import { allocated } from './inode.ts';
import type { Radix } from './radix.ts';

const { extentBytes } = treeLimits;

/** The extents of a file. @throws what the content source throws, and on a list that does not fit the file */
export function extentsOf(inode: Inode, cache: ContentCache): Radix<Extent> {
  // Unfolding says nothing new about the file, so it is done for every snapshot that shares the inode.
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
    const bytes = extent && cache.load(extent);
    copyPadded(bytes, start, into.subarray(done, done + count));
    done += count;
  }
  return length;
}

function copyPadded(bytes: Uint8Array | undefined, start: number, into: Uint8Array): void {
  const present = bytes === undefined ? 0 : Math.max(0, Math.min(bytes.length - start, into.length));
  if (bytes && present > 0) into.set(bytes.subarray(start, start + present));
  if (present < into.length) into.fill(0, present);
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
 * Writes into an owned inode. What has to be fetched is fetched before anything changes.
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
  // Only the two ends can be written in part; the extents between them are replaced.
  const head = extents.get(first);
  const tail = extents.get(last);
  const headBytes = head && cache.load(head);
  const tailBytes = tail && cache.load(tail);
  for (let index = first; index <= last; index++) {
    const base = index * extentBytes;
    const from = Math.max(0, offset - base);
    const to = Math.min(extentBytes, end - base);
    const old = extents.get(index);
    const held = index === first ? headBytes : index === last ? tailBytes : undefined;
    const extent = writable(old, { held, from, to, epoch: inode.epoch });
    extent.bytes?.set(bytes.subarray(base + from - offset, base + to - offset), from);
    if (extent !== old) extents.set(index, extent, inode.epoch);
    if (old === undefined) inode.extentCount += 1;
  }
  inode.fileBytes = Math.max(inode.fileBytes, end);
  inode.content = undefined;
}

/** An extent of this epoch that has the bytes `held` of `old` and room up to `to`. */
function writable(
  old: Extent | undefined,
  write: {
    readonly held: Uint8Array | undefined;
    readonly from: number;
    readonly to: number;
    readonly epoch: number;
  },
): Extent {
  const { held, from, to, epoch } = write;
  if (old?.bytes && old.epoch === epoch) {
    if (to > old.bytes.length) old.bytes = grown(old.bytes, to);
    return old;
  }
  const whole = held === undefined || (from === 0 && to >= held.length);
  const bytes = whole ? new Uint8Array(to) : to > held.length ? grown(held, to) : held.slice();
  return { epoch, bytes, id: undefined, used: true };
}

/** Appending in small steps must not copy the extent every time, so it at least doubles. */
function grown(bytes: Uint8Array, length: number): Uint8Array {
  const larger = new Uint8Array(Math.min(extentBytes, Math.max(length, bytes.length * 2)));
  larger.set(bytes);
  return larger;
}

/** Sets the length of an owned file; what is cut off reads as zero if it grows again. @throws as `extentsOf` */
export function truncateFileData(inode: Inode, sizeBytes: number, cache: ContentCache): void {
  if (sizeBytes < inode.fileBytes) {
    const extents = extentsOf(inode, cache);
    const index = Math.floor(sizeBytes / extentBytes);
    const kept = sizeBytes - index * extentBytes;
    const partial = kept > 0 ? extents.get(index) : undefined;
    const bytes = partial && cache.load(partial).slice(0, kept);
    inode.extentCount -= extents.truncate(kept > 0 ? index + 1 : index, inode.epoch);
    if (bytes) extents.set(index, { epoch: inode.epoch, bytes, id: undefined, used: true }, inode.epoch);
  }
  inode.fileBytes = sizeBytes;
  inode.content = undefined;
}

/** The space that a file would take after a write. */
export function allocatedAfterWrite(
  inode: Inode,
  write: { readonly end: number; readonly holes: number },
): number {
  return allocated(Math.max(inode.fileBytes, write.end), inode.extentCount + write.holes);
}

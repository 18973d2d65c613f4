import { encodeChunk } from '../content/chunk.ts';
import { chunkListLevel, encodeChunkList } from '../content/chunk-list.ts';
import type { Extent } from '../content/extent.ts';
import type { FileContent } from '../content/file-content.ts';
import { zeroContent } from '../content/file-content.ts';
import type { ObjectId } from '../content/object-id.ts';
import { treeLimits } from '../limits.ts';
import type { Inode } from '../live/inode.ts';
import type { ObjectBatch } from './object-batch.ts';
import type { PendingContent } from './sealed-tree.ts';

const { chunkListFanOut, extentBytes } = treeLimits;

interface Slot {
  readonly index: number;
  readonly id: ObjectId;
}

/** Hashes what is new in a file; yields whenever `batch` is full. Answers the file's content. */
export function* sealFile(
  inode: Inode,
  batch: ObjectBatch,
  pending: PendingContent,
): Generator<void, FileContent> {
  if (inode.content !== undefined) return inode.content;
  const extents: { extent: Extent; index: number }[] = [];
  inode.extents?.forEach((extent, index) => void extents.push({ extent, index }));
  const slots: Slot[] = [];
  for (const { extent, index } of extents) {
    const id = sealExtent(extent, batch, pending);
    if (id !== undefined) slots.push({ index, id });
    if (batch.isFull) yield;
  }
  const content = sealSlots(slots, inode.fileBytes, batch);
  pending.files.push({ inode, content });
  return content;
}

function sealExtent(extent: Extent, batch: ObjectBatch, pending: PendingContent): ObjectId | undefined {
  if (extent.id !== undefined) return extent.id;
  const bytes = extent.pages && encodeChunk(extent.pages);
  if (bytes === undefined) return undefined;
  const id = batch.add(bytes);
  pending.extents.push({ extent, id });
  return id;
}

function sealSlots(slots: readonly Slot[], sizeBytes: number, batch: ObjectBatch): FileContent {
  const [only] = slots;
  if (only === undefined) return zeroContent;
  if (sizeBytes <= extentBytes) return { type: 'chunk', id: only.id };
  const top = chunkListLevel(sizeBytes);
  let level = slots;
  for (let height = 0; height <= top; height++) level = foldSlots(level, height, batch);
  const [root] = level;
  return root === undefined ? zeroContent : { type: 'list', id: root.id, chunks: slots.length };
}

/** Writes the lists of one level; answers their slots in the level above. */
function foldSlots(slots: readonly Slot[], level: number, batch: ObjectBatch): Slot[] {
  const lists: Slot[] = [];
  for (let at = 0; at < slots.length; ) {
    const index = Math.floor((slots[at]?.index ?? 0) / chunkListFanOut);
    const list: (ObjectId | undefined)[] = [];
    for (let slot = slots[at]; slot !== undefined; slot = slots[at]) {
      if (Math.floor(slot.index / chunkListFanOut) !== index) break;
      while (list.length < slot.index % chunkListFanOut) list.push(undefined);
      list.push(slot.id);
      at += 1;
    }
    lists.push({ index, id: batch.add(encodeChunkList(level, list)) });
  }
  return lists;
}

import { decodeChunk } from '../content/chunk.ts';
import { chunkListLevel, decodeChunkList } from '../content/chunk-list.ts';
import type { ContentSource } from '../content/content-source.ts';
import type { ObjectId } from '../content/object-id.ts';
import { treeLimits } from '../limits.ts';
import type { TreeEntry } from '../objects/tree-entry.ts';

/** Bytes of a file and their offset; gaps between pieces are zeros. */
export interface FilePiece {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

const { chunkListFanOut, extentBytes } = treeLimits;

/**
 * The content of a stored file, piece by piece in order, each read when it is asked for.
 * @throws RangeError when a piece does not fit the file, and what `source` throws
 */
export function* filePieces(
  source: ContentSource,
  { content, sizeBytes }: Pick<TreeEntry, 'content' | 'sizeBytes'>,
): Generator<FilePiece> {
  const end = Math.ceil(sizeBytes / extentBytes);
  const piece = (id: ObjectId, index: number): FilePiece => {
    const bytes = decodeChunk(source.read(id));
    const offset = index * extentBytes;
    if (offset + bytes.length > sizeBytes) throw misfit(id);
    return { offset, bytes };
  };
  const walk = function* (id: ObjectId, level: number, start: number): Generator<FilePiece> {
    const list = decodeChunkList(source.read(id));
    const span = chunkListFanOut ** level;
    if (list.level !== level || start + (list.slots.length - 1) * span >= end) throw misfit(id);
    for (const [index, slot] of list.slots.entries()) {
      if (slot === undefined) continue;
      if (level === 0) yield piece(slot, start + index);
      else yield* walk(slot, level - 1, start + index * span);
    }
  };
  if (content?.type === 'chunk') yield piece(content.id, 0);
  if (content?.type === 'list') yield* walk(content.id, chunkListLevel(sizeBytes), 0);
}

function misfit(id: ObjectId): RangeError {
  return new RangeError(`Object ${id} does not fit its file`);
}

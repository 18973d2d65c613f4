import { treeLimits } from '../limits.ts';
import { chunkListLevel, decodeChunkList } from './chunk-list.ts';
import type { ContentSource } from './content-source.ts';
import type { Extent } from './extent.ts';
import { remoteExtent } from './extent.ts';
import type { ObjectId } from './object-id.ts';
import type { PackedId } from './packed-id.ts';
import { Radix } from './radix.ts';

const { chunkListFanOut, extentBytes } = treeLimits;

/**
 * What a file's content is made of (OB-5): nothing but zeros, one chunk when the file has at most
 * 32 KiB, or else a list of `chunks` chunks.
 */
export type FileContent =
  | { readonly type: 'zeros' }
  | { readonly type: 'chunk'; readonly id: ObjectId }
  | { readonly type: 'list'; readonly id: ObjectId; readonly chunks: number };

/** A chunk or list whose id is converted to text on first use. */
export class PackedContent {
  readonly type: 'chunk' | 'list';
  readonly chunks: number;
  #id: PackedId | ObjectId;

  constructor(id: PackedId, { type, chunks }: { type: 'chunk' | 'list'; chunks: number }) {
    this.#id = id;
    this.type = type;
    this.chunks = chunks;
  }

  get id(): ObjectId {
    if (typeof this.#id !== 'string') this.#id = this.#id.text();
    return this.#id;
  }
}

/** The content of every empty file and every file of zeros. */
export const zeroContent: FileContent = { type: 'zeros' };

/** The number of pieces that are not holes. */
export function contentChunks(content: FileContent): number {
  if (content.type === 'list') return content.chunks;
  return content.type === 'chunk' ? 1 : 0;
}

/**
 * The extents of sealed content; chunks are loaded when they are read.
 * @throws RangeError when a list does not fit the file, and what the source throws
 */
export function unfoldContent(
  content: FileContent | undefined,
  file: { readonly sizeBytes: number; readonly source: ContentSource },
): Radix<Extent> {
  const extents = new Radix<Extent>();
  if (content?.type === 'chunk') extents.set(0, remoteExtent(content.id), 0);
  if (content?.type === 'list') {
    let chunks = 0;
    const visit = (id: ObjectId, index: number): void => {
      extents.set(index, remoteExtent(id), 0);
      chunks += 1;
      if (chunks > content.chunks) throw listMismatch(content.id);
    };
    visitChunks(content, { ...file, visit });
    if (chunks !== content.chunks) throw listMismatch(content.id);
  }
  return extents;
}

/** Visits the chunks of a list in order, without loading them. @throws as `unfoldContent` */
function visitChunks(
  content: FileContent & { type: 'list' },
  file: {
    readonly sizeBytes: number;
    readonly source: ContentSource;
    readonly visit: (id: ObjectId, index: number) => void;
  },
): void {
  const end = Math.ceil(file.sizeBytes / extentBytes);
  const walk = (id: ObjectId, level: number, start: number): void => {
    const list = decodeChunkList(file.source.read(id));
    const span = chunkListFanOut ** level;
    if (list.level !== level || start + (list.slots.length - 1) * span >= end) throw listMismatch(id);
    list.slots.forEach((slot, index) => {
      if (slot === undefined) return;
      if (level === 0) file.visit(slot, start + index);
      else walk(slot, level - 1, start + index * span);
    });
  };
  walk(content.id, chunkListLevel(file.sizeBytes), 0);
}

function listMismatch(id: ObjectId): RangeError {
  return new RangeError(`Cannot use chunk list ${id}: it does not fit its file`);
}

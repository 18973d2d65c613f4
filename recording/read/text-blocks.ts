import { deflateSync, inflateSync } from 'fflate';
import { joinBytes } from '../../tree/join-bytes.ts';
import { recordingLimits } from '../limits.ts';
import { refuseRecording } from '../recording-error.ts';
import { GzipReader, isGzip } from './gunzip.ts';

/** A file, or something that is read like one: at any offset. */
export interface RecordingSource {
  /** The bytes from an offset to another, fewer only where the file ends. @throws what its storage does */
  read(from: number, to: number): Promise<Uint8Array>;
}

/** Where the text of a block is: in the file, in whole members of a gzip, or in memory, deflated. */
export type BlockPlace =
  | { readonly type: 'plain'; readonly from: number; readonly to: number }
  | { readonly type: 'members'; readonly from: number; readonly to: number; readonly sizeBytes: number }
  | { readonly type: 'held'; readonly deflated: Uint8Array; readonly sizeBytes: number };

/** Whole lines of a recording, which are read together. */
export interface TextBlock {
  readonly place: BlockPlace;
  /** The next block may be in the same memory. */
  readonly bytes: Uint8Array;
}

const readBytes = 524_288;
/** The beginning is small, as somebody waits for it. */
const firstReadBytes = 65_536;
const lineFeed = 10;

/** All blocks of a file, once, in order. The last may end without a line feed. @throws invalid-argument for a line that is too long */
export async function* scanBlocks(source: RecordingSource): AsyncGenerator<TextBlock> {
  yield* isGzip(await source.read(0, 2)) ? scanGzip(source) : scanPlain(source);
}

/** The file from its beginning to its end, in pieces. */
export async function* piecesOf(source: RecordingSource): AsyncGenerator<Uint8Array> {
  for (let at = 0; ; ) {
    const size = at === 0 ? firstReadBytes : readBytes;
    const piece = await source.read(at, at + size);
    if (piece.length > 0) yield piece;
    if (piece.length < size) return;
    at += size;
  }
}

/** The text of a block that was scanned. */
export async function readBlock(source: RecordingSource, place: BlockPlace): Promise<string> {
  return new TextDecoder().decode(await bytesOf(source, place));
}

async function bytesOf(source: RecordingSource, place: BlockPlace): Promise<Uint8Array> {
  if (place.type === 'held') return inflateSync(place.deflated, { out: new Uint8Array(place.sizeBytes) });
  const stored = await source.read(place.from, place.to);
  if (stored.length !== place.to - place.from) throw refuseRecording('its file got shorter');
  if (place.type === 'plain') return stored;
  const bytes = new Uint8Array(place.sizeBytes);
  let at = 0;
  for (const part of new GzipReader().push(stored)) {
    if (part.type !== 'text') continue;
    if (at + part.bytes.length > bytes.length) throw refuseRecording('its file has changed');
    bytes.set(part.bytes, at);
    at += part.bytes.length;
  }
  return bytes.subarray(0, at);
}

async function* scanPlain(source: RecordingSource): AsyncGenerator<TextBlock> {
  // One piece of memory for all: new ones for 100 MB take longer than reading them does.
  const memory = new Uint8Array(recordingLimits.lineBytes + readBytes);
  let used = 0;
  let offset = 0;
  for await (const piece of piecesOf(source)) {
    memory.set(piece, used);
    const bytes = memory.subarray(0, used + piece.length);
    let from = 0;
    for (let to = endOfBlock(bytes, from); to > from; to = endOfBlock(bytes, from)) {
      yield plainBlock(bytes.subarray(from, to), offset);
      offset += to - from;
      from = to;
    }
    assertLine(bytes.subarray(from));
    memory.copyWithin(0, from, bytes.length);
    used = bytes.length - from;
  }
  if (used > 0) yield plainBlock(memory.subarray(0, used), offset);
}

function plainBlock(bytes: Uint8Array, offset: number): TextBlock {
  return { bytes, place: { type: 'plain', from: offset, to: offset + bytes.length } };
}

/** Where a block of whole lines ends that begins at `from`; `from` when there is no whole line. */
function endOfBlock(bytes: Uint8Array, from: number): number {
  const most = from + recordingLimits.blockBytes;
  const end = bytes.lastIndexOf(lineFeed, most - 1) + 1;
  return end > from ? end : Math.max(from, bytes.indexOf(lineFeed, Math.max(from, most)) + 1);
}

function assertLine(rest: Uint8Array): void {
  if (rest.length <= recordingLimits.lineBytes || rest.includes(lineFeed)) return;
  throw refuseRecording(`a line of it is longer than ${recordingLimits.lineBytes} bytes`);
}

/** Cuts the text of a gzip where a member begins at the beginning of a line; where none does for long, its text is held. */
class GzipBlocks {
  #pieces: Uint8Array[] = [];
  #sizeBytes = 0;
  #begin: number | undefined;
  #heldBytes = 0;
  #endsLine = true;

  *member(offset: number): Generator<TextBlock> {
    if (!this.#endsLine) return;
    const isShort = this.#sizeBytes < recordingLimits.blockBytes && this.#begin !== undefined;
    if (isShort && this.#sizeBytes > 0) return;
    if (this.#sizeBytes > 0) {
      const bytes = this.#take();
      yield this.#begin === undefined
        ? this.#hold(bytes)
        : { bytes, place: { type: 'members', from: this.#begin, to: offset, sizeBytes: bytes.length } };
    }
    this.#begin = offset;
  }

  *text(bytes: Uint8Array): Generator<TextBlock> {
    this.#pieces.push(bytes);
    this.#sizeBytes += bytes.length;
    this.#endsLine = bytes.at(-1) === lineFeed;
    if (this.#sizeBytes < recordingLimits.unsplitBlockBytes) return;
    const all = this.#take();
    const end = all.lastIndexOf(lineFeed) + 1;
    const rest = all.subarray(end);
    if (end > 0) {
      yield this.#hold(all.subarray(0, end));
      this.#begin = undefined;
    }
    assertLine(rest);
    if (rest.length === 0) return;
    this.#pieces.push(rest.slice());
    this.#sizeBytes = rest.length;
  }

  /** With `isDamaged`, no member ends at `sizeBytes`. */
  *end(sizeBytes: number, { isDamaged = false } = {}): Generator<TextBlock> {
    if (this.#sizeBytes === 0) return;
    const bytes = this.#take();
    yield this.#begin === undefined || isDamaged
      ? this.#hold(bytes)
      : { bytes, place: { type: 'members', from: this.#begin, to: sizeBytes, sizeBytes: bytes.length } };
  }

  #take(): Uint8Array {
    const bytes = joinBytes(this.#pieces, this.#sizeBytes);
    this.#pieces = [];
    this.#sizeBytes = 0;
    return bytes;
  }

  #hold(bytes: Uint8Array): TextBlock {
    const deflated = deflateSync(bytes, { level: 1 });
    this.#heldBytes += deflated.length;
    if (this.#heldBytes > recordingLimits.heldBytes) {
      throw refuseRecording(
        'its gzip is one large member, of which no part can be read alone; unpack it first',
        {
          code: 'limit-exceeded',
        },
      );
    }
    return { bytes, place: { type: 'held', deflated, sizeBytes: bytes.length } };
  }
}

async function* scanGzip(source: RecordingSource): AsyncGenerator<TextBlock> {
  const blocks = new GzipBlocks();
  const gzip = new GzipReader();
  let sizeBytes = 0;
  try {
    for await (const piece of piecesOf(source)) {
      sizeBytes += piece.length;
      for (const part of gzip.push(piece))
        yield* part.type === 'member' ? blocks.member(part.offset) : blocks.text(part.bytes);
    }
  } catch (error) {
    yield* blocks.end(sizeBytes, { isDamaged: true });
    throw error;
  }
  yield* blocks.end(sizeBytes);
}

import { deflateSync, Inflate } from 'fflate';
import { historyError } from './history-error.ts';
import { historyLimits } from './limits.ts';
import type { PieceReader } from './piece-reader.ts';

/** The stored length of a block, and the length of its content. */
const headBytes = 8;
const maxBytes = headBytes + historyLimits.streamBlockBytes;

/** The fastest level, with a hash table of 2^16 entries: a larger one is slower and saves nothing. */
const deflateOptions = { level: 1, mem: 4 } as const;

/** Of a short block, such as that of an edit: some milliseconds at most, for a few percent of its bytes. */
const shortBytes = 65_536;
const shortDeflateOptions = { level: 6, mem: 4 } as const;

/** Blocks at least this long are deflated only if samples of them shrink. */
const sampledBytes = 32_768;
const samples = 4;
const sampleBytes = 1_024;

/**
 * Input of one inflate step: a hostile block is noticed one step late, which can inflate to a thousand times as
 * much, 8 MiB.
 */
const inflateStepBytes = 8_192;

/**
 * Cuts a stream into blocks (protocol/SPEC.md, SN-11). With `deflates`, blocks that get shorter are deflated, each
 * as a whole, since small neighbouring objects are alike.
 */
export async function* encodeBlocks(
  parts: AsyncIterable<Uint8Array>,
  { deflates }: { readonly deflates: boolean },
): AsyncGenerator<Uint8Array> {
  let block = new Uint8Array(maxBytes);
  let length = headBytes;
  for await (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const count = Math.min(part.length - at, maxBytes - length);
      block.set(part.subarray(at, at + count), length);
      at += count;
      length += count;
      if (length < maxBytes) continue;
      yield finishBlock(block, { deflates });
      block = new Uint8Array(maxBytes);
      length = headBytes;
    }
  }
  if (length > headBytes) yield finishBlock(block.subarray(0, length), { deflates });
}

/** The content of incoming blocks. The reader has to know where it ends. @throws invalid-argument, limit-exceeded */
export async function* decodeBlocks(reader: PieceReader): AsyncGenerator<Uint8Array> {
  for (;;) {
    const head = await reader.take(headBytes);
    const view = new DataView(head.buffer, head.byteOffset);
    const [stored, length] = [view.getUint32(0, true), view.getUint32(4, true)];
    if (length > historyLimits.streamBlockBytes) {
      throw historyError('limit-exceeded', `Cannot import a block of ${length} bytes`);
    }
    if (stored === 0 || stored > length) throw refusal();
    const bytes = await reader.take(stored);
    yield stored === length ? bytes : inflate(bytes, length);
  }
}

/** `block` is room for a head, then the content. */
function finishBlock(block: Uint8Array, { deflates }: { deflates: boolean }): Uint8Array {
  const content = block.subarray(headBytes);
  const options = content.length > shortBytes ? deflateOptions : shortDeflateOptions;
  const deflated = deflates && mayShrink(content) ? deflateSync(content, options) : content;
  if (deflated.length >= content.length) return withHead(block, content.length);
  const shorter = new Uint8Array(headBytes + deflated.length);
  shorter.set(deflated, headBytes);
  return withHead(shorter, content.length);
}

function withHead(block: Uint8Array, length: number): Uint8Array {
  const view = new DataView(block.buffer, block.byteOffset);
  view.setUint32(0, block.length - headBytes, true);
  view.setUint32(4, length, true);
  return block;
}

/** Whether deflating is worth the time: compressed or encrypted content takes the longest and gains nothing. */
function mayShrink(content: Uint8Array): boolean {
  if (content.length < sampledBytes) return true;
  const sample = new Uint8Array(samples * sampleBytes);
  for (let index = 0; index < samples; index++) {
    const at = Math.floor((index * content.length) / samples);
    sample.set(content.subarray(at, at + sampleBytes), index * sampleBytes);
  }
  return deflateSync(sample, deflateOptions).length < sample.length * 0.95;
}

/** Stops as soon as the output exceeds `length`: a few bytes can inflate to a thousand times as much. */
function inflate(bytes: Uint8Array, length: number): Uint8Array {
  const content = new Uint8Array(length);
  let count = 0;
  const inflating = new Inflate((part) => {
    if (count + part.length > length) throw refusal();
    content.set(part, count);
    count += part.length;
  });
  try {
    for (let at = 0; at < bytes.length; at += inflateStepBytes) {
      const step = bytes.subarray(at, at + inflateStepBytes);
      inflating.push(step, at + step.length === bytes.length);
    }
  } catch (cause) {
    throw Object.assign(refusal(), { cause });
  }
  if (count < length) throw refusal();
  return content;
}

function refusal(): Error {
  return historyError('invalid-argument', 'Cannot import: a block of the stream is malformed');
}

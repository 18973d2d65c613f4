import { deflateSync, Inflate } from 'fflate';
import { historyError } from './history-error.ts';
import { historyLimits } from './limits.ts';
import type { PieceReader } from './piece-reader.ts';

/** The length of a block as it is stored, and that of what it holds. */
const headBytes = 8;
const maxBytes = headBytes + historyLimits.streamBlockBytes;

/** The quickest. A hash table of 2^16 gains nothing by being larger, and is faster. */
const deflateOptions = { level: 1, mem: 4 } as const;

/** Blocks at least this long are deflated only if samples of them shrink. */
const sampledBytes = 32_768;
const samples = 4;
const sampleBytes = 1_024;

/** A hostile block is noticed after one such step too many, which makes at most a thousand times as much: 8 MiB. */
const inflateStepBytes = 8_192;

/**
 * Cuts a stream into blocks (protocol/SPEC.md, SN-11). With `deflates` those that shrink are deflated, across
 * the objects in them, since small ones that belong together are alike.
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

/** The content of the blocks that come. Whoever reads it knows where it ends. @throws invalid-argument, limit-exceeded */
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

/** `block` has its content behind room for a head. */
function finishBlock(block: Uint8Array, { deflates }: { deflates: boolean }): Uint8Array {
  const content = block.subarray(headBytes);
  const deflated = deflates && mayShrink(content) ? deflateSync(content, deflateOptions) : content;
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

/** Whether it is worth the time: what is compressed or encrypted already takes the longest and gains nothing. */
function mayShrink(content: Uint8Array): boolean {
  if (content.length < sampledBytes) return true;
  const sample = new Uint8Array(samples * sampleBytes);
  for (let index = 0; index < samples; index++) {
    const at = Math.floor((index * content.length) / samples);
    sample.set(content.subarray(at, at + sampleBytes), index * sampleBytes);
  }
  return deflateSync(sample, deflateOptions).length < sample.length * 0.95;
}

/** Stops as soon as it is more than `length`, which a few bytes could be made to be a thousand times. */
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
  return historyError('invalid-argument', 'Cannot import: a block of the stream is not what it says');
}

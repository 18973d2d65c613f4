import { joinBytes } from '../../tree/join-bytes.ts';
import { type DecodedHeader, decodeHeader } from '../format/decode-header.ts';
import type { TimedEvent } from '../format/recording-event.ts';
import type { RecordingHeader } from '../format/recording-header.ts';
import { refuseRecording } from '../recording-error.ts';
import { EventReader } from './event-reader.ts';
import { GzipReader, isGzip } from './gunzip.ts';
import { LineReader } from './line-reader.ts';

/** A recording that is read once from its beginning to its end, as its bytes come. */
export class RecordingStream {
  readonly header: RecordingHeader;
  readonly #version: 2 | 3;
  readonly #lines: AsyncIterable<Line>;
  #damage: string | undefined;

  constructor({ version, header }: DecodedHeader, lines: AsyncIterable<Line>) {
    this.header = header;
    this.#version = version;
    this.#lines = lines;
  }

  /** What is wrong with its end, once all events were read: it was cut. */
  get damage(): string | undefined {
    return this.#damage;
  }

  /** All events; to be called once. @throws invalid-argument for a line that is wrong; all before it came */
  async *events(): AsyncGenerator<TimedEvent> {
    const reader = new EventReader(this.#version);
    let hasEnded = this.header.coppice.source === 'asciicast';
    let last = 1;
    for await (const { text, line, isWhole } of this.#lines) {
      let timed: TimedEvent | undefined;
      try {
        timed = reader.read(text, line);
      } catch (error) {
        if (isWhole) throw error;
        hasEnded = false;
        break;
      }
      last = line;
      if (timed === undefined) continue;
      hasEnded ||= timed.event.type === 'end';
      yield timed;
    }
    if (!hasEnded) this.#damage = cutAfter(last);
  }
}

/**
 * Reads a recording, an asciicast v3 or v2, or a gzip of one, from pieces of any size. Has a piece and a line in memory.
 * @throws invalid-argument, version-mismatch, unsupported for what is none
 */
export async function readRecording(pieces: AsyncIterable<Uint8Array>): Promise<RecordingStream> {
  const lines = linesOf(pieces);
  const { value: first, done } = await lines.next();
  if (done) throw refuseRecording('it is empty');
  return new RecordingStream(decodeHeader(first.text), lines);
}

/** What is said of a recording without an end. */
export function cutAfter(line: number): string {
  return `It was cut after line ${line}`;
}

interface Line {
  readonly text: string;
  /** From 1. */
  readonly line: number;
  /** Whether a line feed ends it. */
  readonly isWhole: boolean;
}

async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const reader = new LineReader();
  let line = 0;
  for await (const piece of inflatedIfGzip(pieces)) {
    for (const text of reader.push(piece)) yield { text, line: ++line, isWhole: true };
  }
  const text = reader.end();
  if (text !== '') yield { text, line: ++line, isWhole: false };
}

async function* inflatedIfGzip(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let gzip: GzipReader | undefined;
  let beginning: Uint8Array | undefined = new Uint8Array(0);
  for await (const next of pieces) {
    let piece = next;
    if (beginning !== undefined) {
      piece = joinBytes([beginning, next], beginning.length + next.length);
      beginning = piece.length < 2 ? piece : undefined;
      if (beginning !== undefined) continue;
      if (isGzip(piece)) gzip = new GzipReader();
    }
    if (gzip === undefined) yield piece;
    else for (const part of gzip.push(piece)) if (part.type === 'text') yield part.bytes;
  }
}

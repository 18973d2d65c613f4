import { SandboxError } from '../../protocol/errors.ts';
import { joinBytes } from '../../tree/join-bytes.ts';
import { encodeEvent } from '../format/encode-event.ts';
import { encodeHeader } from '../format/encode-header.ts';
import type { RecordingEvent } from '../format/recording-event.ts';
import type { RecordingHeader } from '../format/recording-header.ts';
import { recordingLimits } from '../limits.ts';

export interface RecordingWriterOptions {
  /** Whether the file is a gzip of the text: a member for each batch of lines (RFC 1952, 2.2), so that a file that is cut is whole to its last batch. */
  readonly gzip?: boolean | undefined;
  /** Takes the next bytes of the file, whole lines or whole members. One call at a time. */
  readonly write: (piece: Uint8Array) => void | Promise<void>;
}

/**
 * Writes a recording as a stream. Lines are handed on in batches: when one is full, and with `flush`. The owner calls `flush` as
 * often as it wants the file to be whole, and waits for it where it writes faster than its file takes.
 */
export class RecordingWriter {
  readonly #options: RecordingWriterOptions;
  readonly #beganAt = performance.now();
  #lines: string[] = [];
  #characters = 0;
  #atMs = 0;
  #writing: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;
  #hasEnded = false;

  constructor(header: RecordingHeader, options: RecordingWriterOptions) {
    this.#options = options;
    this.#append(encodeHeader(header));
  }

  /**
   * Adds an event that happened `atSeconds` after the recording began: by default now, and never before the event before.
   * @throws limit-exceeded for one that is too long for a line, invalid-argument for what JSON cannot say; then nothing was added
   */
  add(event: RecordingEvent, atSeconds?: number): void {
    if (this.#hasEnded) return;
    const atMs = Math.max(
      this.#atMs,
      Math.round(atSeconds === undefined ? performance.now() - this.#beganAt : atSeconds * 1_000) || 0,
    );
    for (const part of partsOf(event)) {
      this.#append(lineOf(part, atMs - this.#atMs));
      this.#atMs = atMs;
    }
    if (event.type === 'end') this.#hasEnded = true;
  }

  /** Hands on all lines so far. Resolves when they are written. @throws what `write` throws, from then on each time */
  async flush(): Promise<void> {
    this.#handOn();
    await this.written();
  }

  /** Resolves when all batches that were full are written: what comes faster than that would pile up. @throws as `flush` */
  async written(): Promise<void> {
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Writes the end, and all that is not written yet. What is added afterwards is dropped. */
  async end(exitCode: number, atSeconds?: number): Promise<void> {
    this.add({ type: 'end', exitCode }, atSeconds);
    await this.flush();
  }

  #append(line: string): void {
    this.#lines.push(line);
    this.#characters += line.length + 1;
    if (this.#characters >= recordingLimits.batchCharacters) this.#handOn();
  }

  #handOn(): void {
    if (this.#lines.length === 0) return;
    const text = new TextEncoder().encode(`${this.#lines.join('\n')}\n`);
    this.#lines = [];
    this.#characters = 0;
    this.#writing = this.#writing.then(async () => {
      if (this.#failure !== undefined) return;
      try {
        await this.#options.write(this.#options.gzip ? await gzipMember(text) : text);
      } catch (error) {
        this.#failure = { error };
      }
    });
  }
}

/** By the platform's zlib, which works in another thread where that is so. */
async function gzipMember(text: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new CompressionStream('gzip');
  const writer = stream.writable.getWriter();
  const fed = writer.write(text).then(() => writer.close());
  fed.catch(() => undefined); // The reader fails with it.
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  const reader = stream.readable.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    pieces.push(part.value);
    sizeBytes += part.value.length;
  }
  return joinBytes(pieces, sizeBytes);
}

function lineOf(event: RecordingEvent, intervalMs: number): string {
  let line: string;
  try {
    line = encodeEvent(event, intervalMs);
  } catch (error) {
    throw new SandboxError('invalid-argument', `Cannot record a ${event.type}: what it has is no JSON`, {
      cause: error,
    });
  }
  // A UTF-16 unit is 3 bytes at most.
  if (line.length * 3 > recordingLimits.lineBytes)
    throw new SandboxError(
      'limit-exceeded',
      `Cannot record a ${event.type}: it is longer than a line may be`,
    );
  return line;
}

/** Long output is several events: each is held whole by its readers. */
function* partsOf(event: RecordingEvent): Generator<RecordingEvent> {
  const most = recordingLimits.outputCharacters;
  if ((event.type !== 'output' && event.type !== 'input') || event.data.length <= most) return yield event;
  for (let from = 0; from < event.data.length; ) {
    let to = Math.min(event.data.length, from + most);
    // Both halves of a character stay together.
    if (isHighSurrogate(event.data.charCodeAt(to - 1)) && to < event.data.length) to--;
    yield { ...event, data: event.data.slice(from, to) };
    from = to;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

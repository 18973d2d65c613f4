import { GrowingBytes } from '../../protocol/growing-bytes.ts';
import { limits } from '../../protocol/limits.ts';
import type { RecordingEvent } from '../../recording/format/recording-event.ts';

/** Something that happened. What it is in the file is made later, in order: the session does not wait for it. */
export interface Occurrence {
  /** Seconds since the recording began. */
  readonly at: number;
  /** About how much memory it takes. */
  readonly sizeBytes: number;
  events(): Iterable<RecordingEvent>;
}

/** Turns bytes of a process into events; called in the order of the session. */
export interface OutputSink {
  events(bytes: Uint8Array): Iterable<RecordingEvent>;
  /** So many bytes were left out here. */
  leftOut(sizeBytes: number): Iterable<RecordingEvent>;
}

interface PendingOutput extends Occurrence {
  readonly sink: OutputSink;
  readonly bytes: GrowingBytes;
  sizeBytes: number;
  leftOutBytes: number;
}

/** What has happened and is not written yet. Output is left out where there is too much of it; nothing else is. */
export class EventQueue {
  readonly #onAdded: () => void;
  readonly #beganAtMs: number = performance.now();
  #pending: Occurrence[] = [];
  #outputBytes = 0;
  #otherBytes = 0;

  constructor(onAdded: () => void) {
    this.#onAdded = onAdded;
  }

  /** What it holds, bytes. */
  get sizeBytes(): number {
    return this.#outputBytes + this.#otherBytes;
  }

  /** Seconds since the recording began. */
  get now(): number {
    return (performance.now() - this.#beganAtMs) / 1_000;
  }

  add(...events: readonly RecordingEvent[]): void {
    const sizeBytes = events.reduce((sum, event) => sum + sizeOf(event), 0);
    this.#otherBytes += sizeBytes;
    this.#push({ at: this.now, sizeBytes, events: () => events });
  }

  /** What is to be in the file is known once all that came before is there. */
  addLater(events: () => Iterable<RecordingEvent>): void {
    this.#push({ at: this.now, sizeBytes: 0, events });
  }

  output(sink: OutputSink, bytes: Uint8Array): void {
    const at = this.now;
    const output = this.#joinable(sink, at) ?? this.#newOutput(sink, at);
    if (this.#outputBytes >= limits.recordingOutputAheadBytes) {
      output.leftOutBytes += bytes.length;
      return;
    }
    output.bytes.add(bytes);
    output.sizeBytes += bytes.length;
    this.#outputBytes += bytes.length;
  }

  /** What happened since the last call. */
  take(): readonly Occurrence[] {
    const taken = this.#pending;
    this.#pending = [];
    return taken;
  }

  /** What was taken is written. */
  done(occurrence: Occurrence): void {
    if ('sink' in occurrence) this.#outputBytes -= occurrence.sizeBytes;
    else this.#otherBytes -= occurrence.sizeBytes;
  }

  #push(occurrence: Occurrence): void {
    this.#pending.push(occurrence);
    this.#onAdded();
  }

  /** The last thing that happened, where it is output of the same kind, and a moment ago. */
  #joinable(sink: OutputSink, at: number): PendingOutput | undefined {
    const last = this.#pending.at(-1);
    if (!last || !('sink' in last)) return undefined;
    const output = last as PendingOutput;
    const isClose = at - output.at < limits.recordingJoinMs / 1_000;
    const isFull = output.sizeBytes >= limits.recordingJoinBytes;
    if (output.sink !== sink) return undefined;
    if (output.leftOutBytes > 0 && this.#outputBytes >= limits.recordingOutputAheadBytes) return output;
    return isClose && !isFull && output.leftOutBytes === 0 ? output : undefined;
  }

  #newOutput(sink: OutputSink, at: number): PendingOutput {
    // Put together as it comes: most pieces are a line, and each costs those who read it more than its bytes do.
    const bytes = new GrowingBytes();
    const output: PendingOutput = {
      ...{ at, sink, bytes, sizeBytes: 0, leftOutBytes: 0 },
      *events() {
        if (bytes.length > 0) yield* sink.events(bytes.view);
        if (output.leftOutBytes > 0) yield* sink.leftOut(output.leftOutBytes);
      },
    };
    this.#push(output);
    return output;
  }
}

/** About how much memory it takes. */
function sizeOf(event: RecordingEvent): number {
  const texts = Object.values(event).map((value) => (typeof value === 'string' ? value.length : 16));
  return texts.reduce((sum, length) => sum + length, 64);
}

import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { SandboxEvent } from '../../protocol/sandbox/events.ts';
import type { RecordingSummary } from '../../protocol/sandbox/recording.ts';
import type { RecordingEvent } from '../../recording/format/recording-event.ts';
import type { RecordingHeader } from '../../recording/format/recording-header.ts';
import type { SecretReplacer } from '../../recording/redact/secret-replacer.ts';
import { Keyframes } from '../../recording/write/keyframes.ts';
import { RecordingWriter } from '../../recording/write/recording-writer.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import { WorkSlices } from '../../tree/next-task.ts';
import type { SessionTaps } from '../processes/session-taps.ts';
import { EventQueue } from '../session-events/event-queue.ts';
import { RecordedProcesses } from '../session-events/recorded-processes.ts';
import { Rests } from '../session-events/rests.ts';
import { settlesWithin } from '../shells/settles-within.ts';
import { PieceBacklog } from './piece-backlog.ts';
import { RecordedSnapshots } from './recorded-snapshots.ts';
import type { SnapshotObjects } from './snapshot-objects.ts';

export interface RecorderParts {
  readonly header: RecordingHeader;
  readonly gzip: boolean;
  readonly input: boolean;
  readonly objects: SnapshotObjects;
  readonly secrets: SecretReplacer;
  readonly taps: SessionTaps;
  readonly subscribe: (listener: (event: SandboxEvent) => void) => () => void;
  /** Snapshots that go in at the beginning, oldest first; the last one is HEAD. */
  readonly begin: readonly SnapshotId[];
  /** How long snapshots may take that go in after `stop`. */
  readonly stopMs: number;
  readonly onEnd: () => void;
}

/** One recording, from its beginning to its end: it listens, and writes a moment later, so that nothing waits for it. */
export class Recorder {
  readonly file: PieceBacklog;
  readonly #parts: RecorderParts;
  readonly #queue: EventQueue;
  readonly #snapshots: RecordedSnapshots;
  readonly #writer: RecordingWriter;
  readonly #keyframes: Keyframes;
  readonly #stopListening: () => void;
  #head: SnapshotId | undefined;
  #adding: Promise<unknown> = Promise.resolve();
  #events = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> | undefined;
  #ended = false;
  /** There is nothing to hold up any more. */
  #isStopping = false;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
    this.file = new PieceBacklog(() => this.#end());
    this.#writer = new RecordingWriter(parts.header, {
      gzip: parts.gzip,
      write: (piece) => this.file.push(piece),
    });
    this.#keyframes = new Keyframes(parts.header);
    this.#queue = new EventQueue(() => this.#onAdded());
    this.#snapshots = new RecordedSnapshots({
      objects: parts.objects,
      room: () => this.#roomForObjects(),
      add: (...events) => this.#queue.add(...events),
    });
    for (const id of parts.begin) this.#snapshots.take(id);
    this.#head = parts.begin.at(-1);
    if (this.#head !== undefined) this.#snapshots.moveHead(this.#head);
    const processes = new RecordedProcesses(this.#queue, {
      input: parts.input,
      onEnvironment: (envs) => parts.secrets.addEnvironment(envs),
    });
    const stops = [parts.taps.subscribe(processes), parts.subscribe((event) => this.#onSandboxEvent(event))];
    this.#stopListening = () => {
      for (const stop of stops) stop();
    };
    this.#schedule(0);
  }

  /** Adds what a client says: with the snapshot that HEAD is at, where that is told of such an event. */
  add(event: RecordingEvent): void {
    const isOfHead = (event.type === 'call' || event.type === 'result') && event.snapshot === undefined;
    this.#queue.add(isOfHead ? { ...event, ...this.#atHead() } : event);
  }

  /** Adds it once something else is there. The end waits for both. */
  addAfter(before: Promise<unknown>, event: RecordingEvent): Promise<void> {
    const adding = before.then(() => this.add(event));
    const last = this.#adding;
    this.#adding = Promise.allSettled([last, adding]);
    return adding;
  }

  #atHead(): { readonly snapshot?: SnapshotId } {
    try {
      return this.#head === undefined ? {} : { snapshot: this.#parts.objects.idOf(this.#head) };
    } catch {
      return {}; // It was forgotten.
    }
  }

  /** Writes all that has happened by now, and the end. Snapshots that do not get in until `stopMs` are left out. */
  async stop(exitCode: number): Promise<RecordingSummary> {
    this.#stopListening();
    this.#isStopping = true;
    this.#snapshots.hurry();
    await this.#adding;
    const at = this.#queue.now;
    this.file.widen(limits.recordingBacklogBytes / 2);
    if (!(await settlesWithin(this.#snapshots.settle(), this.#parts.stopMs))) {
      this.#snapshots.giveUp();
      this.#queue.add({
        type: 'note',
        text: 'The last snapshots are not in this recording: nobody has read it in time',
      });
    }
    this.file.widen(Number.POSITIVE_INFINITY);
    await this.#write();
    const { secrets } = this.#parts;
    for (const event of secrets.release()) this.#append(event, at);
    const redacted = this.#redacted;
    if (redacted > 0) this.#append({ type: 'redacted', counts: secrets.counts }, at);
    if (!this.#ended) await this.#writer.end(exitCode, at);
    this.#end();
    return { events: this.#events, snapshots: this.#snapshots.count, redacted };
  }

  #onSandboxEvent(event: SandboxEvent): void {
    switch (event.type) {
      case 'snapshot':
        this.#head = event.head;
        this.#snapshots.take(event.snapshot.id as SnapshotId);
        return;
      case 'head':
        this.#head = event.head;
        this.#snapshots.moveHead(event.head);
        return;
      case 'machine-failed':
        this.#queue.add({ type: 'note', text: `The machine has failed: ${event.error.message}` });
        return;
      case 'capture-stopped':
        this.#queue.add({ type: 'note', text: `Changes of files are not saved: ${event.error.message}` });
        return;
      case 'memory-refused':
        this.#queue.add({ type: 'note', text: `The machine began anew: ${event.error.message}` });
        return;
    }
  }

  #onAdded(): void {
    const held = this.#queue.sizeBytes + this.file.bytes;
    if (held > limits.recordingBacklogBytes) {
      const message = `The recording has ended: its reader is ${held} bytes behind`;
      const details = { limit: limits.recordingBacklogBytes };
      this.#end(new SandboxError('limit-exceeded', message, { details }));
    } else this.#schedule(limits.recordingFlushMs);
  }

  #schedule(delayMs: number): void {
    if (this.#ended) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#write();
    }, delayMs);
  }

  /** Writes what has happened. One at a time; resolves once all of it is with the reader. */
  #write(): Promise<void> {
    const before = this.#writing ?? Promise.resolve();
    const writing = before
      .then(() => this.#writePending())
      .catch((cause) => this.#end(SandboxError.from(cause)));
    this.#writing = writing;
    return writing;
  }

  async #writePending(): Promise<void> {
    const rests = new Rests();
    const slices = new WorkSlices();
    for (let taken = this.#queue.take(); taken.length > 0; taken = this.#queue.take()) {
      for (const occurrence of taken) {
        await this.file.room();
        if (this.#ended) return;
        for (const event of occurrence.events())
          for (const told of this.#parts.secrets.event(event)) this.#append(told, occurrence.at);
        this.#queue.done(occurrence);
        await (this.#isStopping ? slices.end() : rests.rest());
      }
      for (const event of this.#parts.secrets.settle()) this.#append(event, this.#queue.now);
    }
    if (!this.#ended) await this.#writer.flush();
  }

  /** One that cannot be written is left out, which the file says. */
  #append(event: RecordingEvent, at: number): void {
    try {
      this.#writer.add(event, at);
      this.#events++;
      const keyframe = this.#keyframes.after(event, at);
      if (keyframe) this.#writer.add(keyframe, at);
    } catch (cause) {
      this.#writer.add({ type: 'note', text: SandboxError.from(cause).message }, at);
    }
  }

  /** How many values were replaced. */
  get #redacted(): number {
    return Object.values(this.#parts.secrets.counts).reduce((sum, count) => sum + count, 0);
  }

  async #roomForObjects(): Promise<void> {
    // What has been added before is on its way, before more of it is made.
    await this.#write();
    await this.file.room();
  }

  #end(error?: SandboxError): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#stopListening();
    this.#snapshots.giveUp();
    this.#keyframes[Symbol.dispose]();
    this.file.finish(error);
    this.#parts.onEnd();
  }
}

import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { SandboxEvent } from '../../protocol/sandbox/events.ts';
import { WorkSlices } from '../../tree/next-task.ts';
import type { SessionTaps } from '../processes/session-taps.ts';
import { EventQueue } from '../session-events/event-queue.ts';
import { RecordedProcesses } from '../session-events/recorded-processes.ts';
import { Rests } from '../session-events/rests.ts';
import type { BatchWriter } from './batch-writer.ts';
import type { OutputBatches } from './output-batches.ts';

export interface OutputLogParts {
  readonly taps: SessionTaps;
  readonly subscribe: (listener: (event: SandboxEvent) => void) => () => void;
  readonly batches: OutputBatches;
  /** Of the sandbox: values of it may be secrets. */
  readonly envs: Readonly<Record<string, string>> | undefined;
  /** Whether the sandbox has a first snapshot: nothing is stored before that. */
  readonly hasBegun: () => boolean;
  /** Why files cannot be saved, if they cannot: then nothing is stored here either, as they come first. */
  readonly stopped: () => SandboxError | undefined;
  /** Frees what nothing needs, where enough of that is there. */
  readonly collect: () => Promise<void>;
}

/**
 * Keeps what terminals and commands show, in the store of their sandbox: it listens, as a recorder does, and writes a batch a moment
 * later, so that nothing waits for it (ADR 58). What cannot be stored is lost, and the next batch says so.
 */
export class OutputLog {
  readonly #parts: OutputLogParts;
  readonly #queue: EventQueue;
  readonly #stops: readonly (() => void)[];
  /** Whether what waits is more than where HEAD went, which nobody would miss alone. */
  #hasShown = false;
  #isNotingHead = false;
  /** What has secrets in it, until the writer is loaded. */
  #environments: Readonly<Record<string, string>>[];
  #writer: BatchWriter | undefined;
  #timer: { readonly id: ReturnType<typeof setTimeout>; readonly isSoon: boolean } | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isWriting = false;
  /** How many wait for all of it. */
  #hurrying = 0;
  #lost: { characters: number; why: string } | undefined;
  #budget = { bytes: limits.outputLogBytes as number, sinceMs: performance.now() };
  #garbageBytes = 0;
  #isClosed = false;

  constructor(parts: OutputLogParts) {
    this.#parts = parts;
    this.#environments = parts.envs ? [parts.envs] : [];
    this.#queue = new EventQueue(() => this.#onAdded());
    const processes = new RecordedProcesses(this.#queue, {
      input: false,
      onEnvironment: (envs) => {
        if (this.#writer) this.#writer.addEnvironment(envs);
        else this.#environments.push(envs);
      },
    });
    this.#stops = [parts.taps.subscribe(processes), parts.subscribe((event) => this.#noteHead(event))];
  }

  /** Stores what was shown by now, as far as that is possible. */
  async flush(): Promise<void> {
    this.#hurrying++;
    await this.#write().finally(() => this.#hurrying--);
  }

  /** Stores the rest. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopListening();
    clearTimeout(this.#timer?.id);
    await this.flush();
  }

  #stopListening(): void {
    for (const stop of this.#stops) stop();
  }

  /** Where in what is shown a snapshot was taken, or gone to: clocks alone do not tell. */
  #noteHead(event: SandboxEvent): void {
    if (event.type !== 'snapshot' && event.type !== 'head') return;
    this.#isNotingHead = true;
    this.#queue.add({ type: 'head', id: event.head });
    this.#isNotingHead = false;
  }

  #onAdded(): void {
    this.#hasShown ||= !this.#isNotingHead || this.#queue.sizeBytes >= limits.outputBatchBytes;
    if (!this.#hasShown) return;
    if (this.#queue.sizeBytes > limits.recordingBacklogBytes) {
      console.info('What terminals show is not kept any more: the store does not take it');
      this.#stopListening();
    }
    if (!this.#isWriting) this.#schedule();
  }

  #schedule(): void {
    const isSoon = this.#parts.hasBegun() && this.#queue.sizeBytes >= limits.outputBatchBytes;
    if (this.#isClosed || this.#timer?.isSoon || (this.#timer && !isSoon)) return;
    clearTimeout(this.#timer?.id);
    const id = setTimeout(() => void this.#write(), isSoon ? 0 : limits.outputBatchMs);
    this.#timer = { id, isSoon };
  }

  /** One at a time; resolves once all that came before is stored, or lost. */
  #write(): Promise<void> {
    this.#writing = this.#writing
      .then(async () => {
        clearTimeout(this.#timer?.id);
        this.#timer = undefined;
        this.#isWriting = true;
        await this.#writePending();
      })
      .catch((error) => console.info('What terminals showed was not kept:', error))
      .finally(() => {
        this.#isWriting = false;
        if (this.#hasShown) this.#schedule();
      });
    return this.#writing;
  }

  async #writePending(): Promise<void> {
    // At the end, output that was held comes as well.
    const isDue = this.#hasShown || (this.#isClosed && this.#writer !== undefined);
    if (!isDue || (!this.#parts.hasBegun() && !this.#parts.stopped())) return;
    const writer = await this.#loadWriter();
    const [rests, slices] = [new Rests(), new WorkSlices()];
    // By the clock of the session, whatever that of the thread has left out.
    const beganMs = Date.now() - this.#queue.now * 1_000;
    const timeOf = (at: number) => Math.round(beganMs + at * 1_000);
    // What comes meanwhile is the next one's: a program that prints without end holds up nobody who waits.
    const hasShown = this.#hasShown;
    this.#hasShown = false;
    for (const occurrence of hasShown ? this.#queue.take() : []) {
      for (const event of occurrence.events()) this.#add(writer, event, timeOf(occurrence.at));
      this.#queue.done(occurrence);
      if (writer.characters >= limits.outputBatchBytes) {
        await this.#store(writer);
        rests.resume();
      }
      await (this.#hurrying > 0 ? slices.end() : rests.rest());
    }
    if (this.#isClosed) writer.release(Date.now());
    else writer.settle(Date.now());
    await this.#store(writer);
  }

  #add(writer: BatchWriter, event: Parameters<BatchWriter['add']>[0], atMs: number): void {
    if (this.#lost) writer.add({ type: 'note', text: lostText(this.#lost) }, atMs);
    this.#lost = undefined;
    writer.add(event, atMs);
  }

  async #store(writer: BatchWriter): Promise<void> {
    const { batches, stopped, collect } = this.#parts;
    const stop = stopped();
    if (stop) return this.#lose(writer.drop(), stop.message);
    if (!this.#hasBudget())
      return this.#lose(writer.drop(), 'more was shown than is kept in so short a time');
    const { characters } = writer;
    try {
      const batch = await writer.take();
      if (!batch) return;
      this.#garbageBytes += await batches.add(batch);
      this.#budget.bytes -= batch.length;
      if (this.#garbageBytes < limits.outputGarbageBytes || this.#isClosed) return;
      this.#garbageBytes = 0;
      collect().catch((error) => console.info('Garbage of what terminals showed is left:', error));
    } catch (cause) {
      this.#lose(characters, SandboxError.from(cause).message);
    }
  }

  #lose(characters: number, why: string): void {
    if (characters > 0) this.#lost = { characters: characters + (this.#lost?.characters ?? 0), why };
  }

  #hasBudget(): boolean {
    const nowMs = performance.now();
    const gained = ((nowMs - this.#budget.sinceMs) / 1_000) * limits.outputLogBytesPerSecond;
    this.#budget = { bytes: Math.min(limits.outputLogBytes, this.#budget.bytes + gained), sinceMs: nowMs };
    return this.#budget.bytes > 0;
  }

  /** Loaded when there is something to write: a start does without. */
  async #loadWriter(): Promise<BatchWriter> {
    if (this.#writer) return this.#writer;
    const { BatchWriter } = await import('./batch-writer.ts');
    this.#writer = new BatchWriter(this.#environments);
    this.#environments = [];
    return this.#writer;
  }
}

function lostText({ characters, why }: { readonly characters: number; readonly why: string }): string {
  return `About ${characters} characters of what was shown before were not kept: ${why}`;
}

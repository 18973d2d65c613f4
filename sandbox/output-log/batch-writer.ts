import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { packageVersion } from '../../protocol/package-version.ts';
import { firstTerminal, type RecordingEvent } from '../../recording/format/recording-event.ts';
import { recordingVersion } from '../../recording/format/recording-header.ts';
import { SecretReplacer } from '../../recording/redact/secret-replacer.ts';
import { RecordingWriter } from '../../recording/write/recording-writer.ts';
import { joinBytes } from '../../tree/join-bytes.ts';
import { usualSize } from '../session-events/recorded-terminals.ts';

type OpenedTerminal = Extract<RecordingEvent, { readonly type: 'terminal' }>;

/** A batch that is being filled. */
interface OpenBatch {
  readonly beginMs: number;
  readonly events: { readonly atMs: number; readonly event: RecordingEvent }[];
}

/**
 * Makes batches of events: each a whole small recording without secrets, that begins with the terminals that are open, so that it
 * can be read where those before it are gone.
 */
export class BatchWriter {
  readonly #secrets: SecretReplacer;
  /** As they are now; the first one has no title. */
  readonly #terminals = new Map<number, OpenedTerminal>();
  #batch: OpenBatch | undefined;
  #characters = 0;

  /** `environments`: those whose values may be secrets. */
  constructor(environments: readonly Readonly<Record<string, string>>[]) {
    this.#secrets = new SecretReplacer({ environments });
  }

  addEnvironment(envs: Readonly<Record<string, string>>): void {
    this.#secrets.addEnvironment(envs);
  }

  /** Of the text of the batch, roughly. */
  get characters(): number {
    return this.#characters;
  }

  /** Adds what happened at an instant, in milliseconds since 1970. Output that may be the beginning of a secret is in a later batch. */
  add(event: RecordingEvent, atMs: number): void {
    for (const told of this.#secrets.event(event)) this.#append(told, atMs);
  }

  /** Nothing has come for a moment: adds output that was held, but for what is most likely a part of a secret. */
  settle(atMs: number): void {
    for (const event of this.#secrets.settle()) this.#append(event, atMs);
  }

  /** Nothing comes any more: adds all that was held. */
  release(atMs: number): void {
    for (const event of this.#secrets.release()) this.#append(event, atMs);
  }

  /** Begins anew, without what was added since the last one. Answers how many characters that were. */
  drop(): number {
    const characters = this.#characters;
    this.#batch = undefined;
    this.#characters = 0;
    return characters;
  }

  /** The batch, whose next one begins with what is added next; `undefined` where nothing was added. */
  async take(): Promise<Uint8Array | undefined> {
    const batch = this.#batch;
    const gzip = this.drop() >= limits.outputPlainCharacters;
    if (!batch) return undefined;
    const pieces: Uint8Array[] = [];
    const { beginMs, events } = batch;
    const coppice = { recording: recordingVersion, generator: `coppice ${packageVersion}` } as const;
    const header = { ...usualSize, beginMs, coppice };
    const writer = new RecordingWriter(header, { gzip, write: (piece) => void pieces.push(piece) });
    for (const { atMs, event } of events) {
      const at = Math.max(0, atMs - beginMs) / 1_000;
      try {
        writer.add(event, at);
      } catch (cause) {
        writer.add({ type: 'note', text: SandboxError.from(cause).message }, at);
      }
    }
    await writer.flush();
    return joinBytes(
      pieces,
      pieces.reduce((sum, { length }) => sum + length, 0),
    );
  }

  #append(event: RecordingEvent, atMs: number): void {
    this.#batch ??= this.#begin(atMs);
    this.#batch.events.push({ atMs, event });
    this.#characters += 'data' in event ? event.data.length : 'text' in event ? event.text.length : 64;
    this.#follow(event);
  }

  #begin(beginMs: number): OpenBatch {
    const events = [...this.#terminals.values()].map(({ terminal, columns, rows, title }) => ({
      atMs: beginMs,
      event:
        terminal === firstTerminal
          ? ({ type: 'resize', terminal, columns, rows } as const)
          : ({ type: 'terminal', terminal, title, columns, rows } as const),
    }));
    return { beginMs, events };
  }

  #follow(event: RecordingEvent): void {
    if (event.type === 'terminal') {
      if (this.#terminals.size >= limits.outputBatchTerminals) return;
      const title = event.title.slice(0, limits.outputTitleCharacters).toWellFormed();
      this.#terminals.set(event.terminal, { ...event, title });
    } else if (event.type === 'terminal-end') this.#terminals.delete(event.terminal);
    else if (event.type === 'resize') {
      const { terminal, columns, rows } = event;
      const known = this.#terminals.get(terminal) ?? (terminal === firstTerminal ? { title: '' } : undefined);
      if (known)
        this.#terminals.set(terminal, { type: 'terminal', title: known.title, terminal, columns, rows });
    }
  }
}

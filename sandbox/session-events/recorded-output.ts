import type { RecordingEvent } from '../../recording/format/recording-event.ts';
import { RunningHash } from '../../tree/objects/running-hash.ts';
import type { OutputSink } from './event-queue.ts';
import type { LineEnds } from './shown-text.ts';

export interface RecordedOutputParts {
  readonly terminal: number;
  /** Of a terminal that shows commands without one. */
  readonly lineEnds?: LineEnds | undefined;
}

/** Bytes of one stream of a process as text of the terminal that shows it. */
export class RecordedOutput implements OutputSink {
  readonly #parts: RecordedOutputParts;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #hash: RunningHash | undefined;
  #sizeBytes = 0;
  #isWhole = true;

  /** `isHashed`: whether what it printed is told in the end. */
  constructor(parts: RecordedOutputParts, { isHashed }: { readonly isHashed: boolean }) {
    this.#parts = parts;
    this.#hash = isHashed ? new RunningHash() : undefined;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Of all bytes by now; `undefined` where some were left out. */
  digest(): string | undefined {
    return this.#isWhole ? this.#hash?.digest() : undefined;
  }

  events(bytes: Uint8Array): RecordingEvent[] {
    this.#sizeBytes += bytes.length;
    this.#hash?.update(bytes);
    return this.#show(this.#decoder.decode(bytes, { stream: true }));
  }

  leftOut(sizeBytes: number): RecordingEvent[] {
    this.#isWhole = false;
    const text = `${sizeBytes} bytes of output were not recorded: they came faster than they could be written`;
    return [...this.#show(`${this.#decoder.decode()}\n\x1b[0;7m ${text} \x1b[0m\n`), { type: 'note', text }];
  }

  /** Of a character that did not come whole. */
  end(): RecordingEvent[] {
    return this.#show(this.#decoder.decode());
  }

  #show(text: string): RecordingEvent[] {
    const { terminal, lineEnds } = this.#parts;
    const data = lineEnds ? lineEnds.show(text) : text;
    return data === '' ? [] : [{ type: 'output', terminal, data }];
  }
}

import { Begun } from '../../recording/edit/cut-session.ts';
import type { SessionNumbers } from '../../recording/edit/session-numbers.ts';
import { firstTerminal, type RecordingEvent } from '../../recording/format/recording-event.ts';
import { recordingLimits } from '../../recording/limits.ts';
import { readRecording } from '../../recording/read/read-recording.ts';
import type { OutputRef } from '../../tree/history/history-refs.ts';
import { usualSize } from '../session-events/recorded-terminals.ts';
import type { OutputBatches } from './output-batches.ts';

/** What was shown at an instant, in milliseconds since 1970. */
export interface ShownEvent {
  readonly atMs: number;
  readonly event: RecordingEvent;
}

type Size = typeof usualSize;

/** An empty terminal again (RIS, ECMA-48 8.3.105). */
const reset = '\x1bc';

export interface ReadOutputOptions {
  readonly batches: Pick<OutputBatches, 'read'>;
  /** Of the session whose part this is. */
  readonly numbers: SessionNumbers;
  /** Whether something was shown before. */
  readonly isContinued: boolean;
}

/** When the first of these batches begins that can be read, in milliseconds since 1970. */
export async function outputBeginMs(
  refs: readonly OutputRef[],
  batches: Pick<OutputBatches, 'read'>,
): Promise<number | undefined> {
  for (const ref of refs) {
    const stream = await readRecording(once(batches.read(ref))).catch(() => undefined);
    if (stream) return stream.header.beginMs;
  }
  return undefined;
}

/**
 * What these batches have, one after the other, as one session: the first terminal of all runs is one, and the others end with
 * their run. Of commands and terminals whose beginning has left the ring, the end is left out, and a beginning made up.
 */
export async function* readOutput(
  refs: readonly OutputRef[],
  { batches, numbers, isContinued }: ReadOutputOptions,
): AsyncGenerator<readonly ShownEvent[]> {
  let run: Run | undefined;
  let lastMs = 0;
  for (const ref of refs) {
    const events: ShownEvent[] = [];
    const add = (atMs: number, ...added: readonly RecordingEvent[]) => {
      lastMs = Math.max(lastMs, atMs);
      const renumbered = added.map((event) => numbers.renumber(event));
      events.push(...renumbered.filter(isWithin).map((event) => ({ atMs: lastMs, event })));
    };
    try {
      const stream = await readRecording(once(batches.read(ref)));
      const { beginMs } = stream.header;
      if (run?.number !== ref.run) {
        if (run) add(beginMs, ...run.end());
        numbers.next();
        run = new Run(ref.run, { isContinued: isContinued || run !== undefined });
        add(beginMs, ...run.begin());
      }
      for await (const { at, event } of stream.events()) add(beginMs + at * 1_000, ...run.follow(event));
    } catch {
      add(lastMs, {
        type: 'note',
        text: 'A part of what was shown here is missing: it is not kept any more, or damaged',
      });
    }
    yield events;
  }
}

/** A recording has no more terminals. */
function isWithin(event: RecordingEvent): boolean {
  return !('terminal' in event) || event.terminal <= recordingLimits.terminals;
}

async function* once(bytes: Uint8Array | undefined): AsyncGenerator<Uint8Array> {
  if (bytes) yield bytes;
}

/** One life of the process that served the sandbox: what of its events a reader is told. */
class Run {
  readonly number: number;
  readonly #isContinued: boolean;
  readonly #begun = new Begun();
  /** The size of each that is open. */
  readonly #terminals = new Map<number, Size>();

  constructor(number: number, { isContinued }: { readonly isContinued: boolean }) {
    this.number = number;
    this.#isContinued = isContinued;
  }

  /** The first terminal goes on, empty. */
  begin(): readonly RecordingEvent[] {
    if (!this.#isContinued) return [];
    return [
      { type: 'resize', terminal: firstTerminal, ...usualSize },
      { type: 'output', terminal: firstTerminal, data: reset },
    ];
  }

  end(): readonly RecordingEvent[] {
    const others = [...this.#terminals.keys()].filter((terminal) => terminal !== firstTerminal);
    return others.map((terminal) => ({ type: 'terminal-end', terminal }));
  }

  follow(event: RecordingEvent): readonly RecordingEvent[] {
    switch (event.type) {
      case 'terminal':
      case 'resize':
        return this.#sized(event);
      case 'terminal-end':
        return this.#terminals.delete(event.terminal) ? [event] : [];
      case 'command':
      case 'output':
      case 'input':
        return [...this.#opened(event.terminal), ...(this.#begun.add(event) ? [event] : [])];
      default:
        return this.#begun.add(event) ? [event] : [];
    }
  }

  /** Each batch begins with terminals that are open: those that are known are told only where they have another size. */
  #sized(
    event: Extract<RecordingEvent, { readonly type: 'terminal' | 'resize' }>,
  ): readonly RecordingEvent[] {
    const { terminal, columns, rows } = event;
    const known = this.#terminals.get(terminal);
    if (known?.columns === columns && known.rows === rows) return [];
    this.#terminals.set(terminal, { columns, rows });
    if (known || terminal === firstTerminal) return [{ type: 'resize', terminal, columns, rows }];
    return [event.type === 'terminal' ? event : { type: 'terminal', terminal, title: '', columns, rows }];
  }

  #opened(terminal: number): readonly RecordingEvent[] {
    if (terminal === firstTerminal || this.#terminals.has(terminal)) return [];
    return this.#sized({ type: 'resize', terminal, ...usualSize });
  }
}

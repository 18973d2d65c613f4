import type { RecordingEvent, TimedEvent } from '../format/recording-event.ts';
import type { SessionStream } from '../format/session-stream.ts';
import { EarlierEvents } from './earlier-events.ts';

/** A part of a session, in seconds since its beginning: what happened from `from` on, and before `to`. */
export interface CutRange {
  readonly from: number;
  readonly to: number;
}

/**
 * A part of a session as one of its own. It begins with the terminals as they were, and with all snapshots that came before, since those of the
 * part are stored against them. Of what began before, and of calls that began before, nothing is told.
 */
export function cutSession(session: SessionStream, { from, to }: CutRange): SessionStream {
  const { header } = session;
  return {
    header: { ...header, beginMs: header.beginMs + Math.round(from * 1_000) },
    events: () => part(session, { from, to }),
  };
}

async function* part(session: SessionStream, { from, to }: CutRange): AsyncGenerator<TimedEvent> {
  let earlier: EarlierEvents | undefined = new EarlierEvents();
  const begun = new Begun();
  let last = 0;
  for await (const { at, event } of session.events()) {
    if (at >= to) break;
    if (at < from) {
      earlier?.add(event);
      continue;
    }
    for (const event of earlier?.take() ?? []) yield { at: 0, event };
    earlier = undefined;
    last = Math.round((at - from) * 1_000) / 1_000;
    if (begun.add(event)) yield { at: last, event };
    if (event.type === 'end') return;
  }
  for (const event of earlier?.take() ?? []) yield { at: 0, event };
  yield { at: last, event: { type: 'end', exitCode: 0 } };
}

/** Which commands and calls have begun in a part of a session. */
export class Begun {
  readonly #commands = new Set<number>();
  readonly #calls = new Set<string>();

  /** Whether an event is of what has begun. */
  add(event: RecordingEvent): boolean {
    switch (event.type) {
      case 'command':
        this.#commands.add(event.command);
        return true;
      case 'source':
        return this.#commands.has(event.command);
      case 'command-end':
        return this.#commands.delete(event.command);
      case 'call':
        this.#calls.add(event.id);
        return true;
      case 'result':
        return this.#calls.delete(event.id);
      default:
        return true;
    }
  }
}

import type { RecordingEvent, TimedEvent } from '../format/recording-event.ts';
import type { SessionStream } from '../format/session-stream.ts';
import { importLimits } from './limits.ts';

/** A snapshot of the history of where a session ran. */
interface SnapshotMark {
  readonly id: string;
  /** What it was called when it was asked for; hooks of agents call it as the call of a tool that they were told of. */
  readonly label?: string | undefined;
  readonly takenAtMs: number;
}

export interface AlignmentParts {
  readonly snapshots: readonly SnapshotMark[];
  /** Events `objects` and `snapshot` of these snapshots, those that others are stored against before them. To be read once. */
  readonly objects: AsyncIterable<RecordingEvent>;
  /** What a hook calls the snapshot after a call. */
  readonly labelOf: (tool: string, given: unknown) => string;
}

/**
 * A session of an agent beside the snapshots of where it ran: each call has the snapshot before it, and each result the one after it. That is the
 * snapshot which a hook took of this call, by its label, or else the last one that was taken by then. Snapshots stand where they were taken; those from before the
 * session, which later ones may be stored against, at its beginning.
 */
export function alignWithSnapshots(session: SessionStream, parts: AlignmentParts): SessionStream {
  const { header } = session;
  const snapshots = parts.snapshots.toSorted((one, other) => one.takenAtMs - other.takenAtMs);
  const marks = new Marks(snapshots, parts.labelOf);
  const begin = marks.at(header.beginMs) ?? snapshots[0]?.id;
  return {
    header: { ...header, coppice: { ...header.coppice, ...(begin === undefined ? {} : { begin }) } },
    events: () => aligned(session, { marks, objects: new SnapshotEvents(parts.objects, marks) }),
  };
}

async function* aligned(
  { header, events }: SessionStream,
  { marks, objects }: { readonly marks: Marks; readonly objects: SnapshotEvents },
): AsyncGenerator<TimedEvent> {
  let last = 0;
  for await (const { at, event } of events()) {
    const ms = header.beginMs + Math.round(at * 1_000);
    last = at;
    if (event.type === 'end') {
      yield* objects.until(ms + importLimits.hookMs, at);
      yield { at, event };
      return;
    }
    for await (const earlier of objects.until(ms, at)) yield earlier;
    if (event.type === 'call') yield { at, event: { ...event, ...named(marks.begin(event, ms)) } };
    else if (event.type === 'result') {
      const taken = marks.end(event.id, ms);
      // A hook takes its snapshot a moment before or after the result is written.
      if (taken !== undefined) yield* objects.until(marks.takenAtMs(taken), at);
      yield { at, event: { ...event, ...named(taken) } };
    } else yield { at, event };
  }
  yield* objects.until(Number.POSITIVE_INFINITY, last);
}

function named(snapshot: string | undefined): { readonly snapshot?: string } {
  return snapshot === undefined ? {} : { snapshot };
}

/** Which snapshot was when. */
class Marks {
  readonly #snapshots: readonly SnapshotMark[];
  readonly #labelOf: AlignmentParts['labelOf'];
  readonly #times: ReadonlyMap<string, number>;
  /** Calls that have begun: when, and what a hook calls the snapshot after it. */
  readonly #calls = new Map<string, { readonly ms: number; readonly label: string }>();
  /** Snapshots that were found to be of a call. */
  readonly #used = new Set<string>();

  constructor(snapshots: readonly SnapshotMark[], labelOf: AlignmentParts['labelOf']) {
    this.#snapshots = snapshots;
    this.#labelOf = labelOf;
    this.#times = new Map(snapshots.map(({ id, takenAtMs }) => [id, takenAtMs]));
  }

  takenAtMs(id: string): number {
    return this.#times.get(id) ?? 0;
  }

  /** The last one that was taken by then. */
  at(ms: number): string | undefined {
    return this.#snapshots.findLast(({ takenAtMs }) => takenAtMs <= ms)?.id;
  }

  begin(
    { id, tool, arguments: given }: Extract<RecordingEvent, { type: 'call' }>,
    ms: number,
  ): string | undefined {
    if (this.#calls.size >= importLimits.openCalls) this.#calls.clear();
    this.#calls.set(id, { ms, label: this.#labelOf(tool, given) });
    return this.at(ms);
  }

  end(id: string, ms: number): string | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    const isOfCall = ({ id, label, takenAtMs }: SnapshotMark) =>
      label === call?.label &&
      !this.#used.has(id) &&
      takenAtMs >= (call?.ms ?? 0) &&
      takenAtMs <= ms + importLimits.hookMs;
    const found = call && this.#snapshots.find(isOfCall);
    if (!found) return this.at(ms);
    this.#used.add(found.id);
    return found.id;
  }
}

/** Snapshots and their objects, as far as the session has come. */
class SnapshotEvents {
  readonly #events: AsyncIterator<RecordingEvent>;
  readonly #marks: Marks;
  #next: Promise<IteratorResult<RecordingEvent>> | undefined;

  constructor(events: AsyncIterable<RecordingEvent>, marks: Marks) {
    this.#events = events[Symbol.asyncIterator]();
    this.#marks = marks;
  }

  /** Those that were taken by a time. */
  async *until(ms: number, at: number): AsyncGenerator<TimedEvent> {
    for (;;) {
      this.#next ??= this.#events.next();
      const next = await this.#next;
      if (next.done) return;
      const event = next.value;
      const takenAtMs =
        event.type === 'objects'
          ? this.#marks.takenAtMs(event.snapshot)
          : event.type === 'snapshot'
            ? event.takenAtMs
            : 0;
      if (takenAtMs > ms) return;
      this.#next = undefined;
      if (event.type === 'objects' || event.type === 'snapshot') yield { at, event };
    }
  }
}

import type { RecordingEvent } from '../format/recording-event.ts';
import type { SessionStream } from '../format/session-stream.ts';

/** What is in a session, in numbers. */
export interface SessionSummary {
  /** Seconds. */
  readonly duration: number;
  readonly events: number;
  readonly commands: number;
  /** Of these, how many ended with another code than 0. */
  readonly failed: number;
  readonly calls: number;
  readonly messages: number;
  readonly snapshots: number;
  readonly terminals: number;
  /** Of all terminals, in UTF-16 units. */
  readonly outputUnits: number;
  /** Lines of another format, and events of a newer version. */
  readonly foreign: number;
  /** Secrets that were replaced, by kind. */
  readonly redacted: Readonly<Record<string, number>>;
  /** Chapters, in order. */
  readonly chapters: readonly string[];
  readonly exitCode?: number;
}

/** Chapters that are named. */
const mostChapters = 100;

/** Reads a session to its end. */
export async function summarizeSession({ events }: SessionStream): Promise<SessionSummary> {
  const counts = new Map<RecordingEvent['type'], number>();
  let [duration, failed, outputUnits] = [0, 0, 0];
  let redacted: Readonly<Record<string, number>> = {};
  const chapters: string[] = [];
  let exitCode: number | undefined;
  for await (const { at, event } of events()) {
    duration = at;
    counts.set(event.type, (counts.get(event.type) ?? 0) + 1);
    if (event.type === 'output') outputUnits += event.data.length;
    else if (event.type === 'command-end' && event.exitCode !== 0) failed += 1;
    else if (event.type === 'redacted') redacted = event.counts;
    else if (event.type === 'chapter' && chapters.length < mostChapters) chapters.push(event.title);
    else if (event.type === 'end') exitCode = event.exitCode;
  }
  const count = (type: RecordingEvent['type']) => counts.get(type) ?? 0;
  return {
    duration,
    events: [...counts.values()].reduce((sum, each) => sum + each, 0),
    commands: count('command'),
    failed,
    calls: count('call'),
    messages: count('message'),
    snapshots: count('snapshot'),
    terminals: 1 + count('terminal'),
    outputUnits,
    foreign: count('foreign') + count('unknown'),
    redacted,
    chapters,
    ...(exitCode === undefined ? {} : { exitCode }),
  };
}

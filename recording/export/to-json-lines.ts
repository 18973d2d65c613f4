import type { SessionStream } from '../format/session-stream.ts';

/** All events as JSON, one a line, for programs: the first line is the header, each other one has `at`, in seconds, and the event's members. */
export async function* toJsonLines({ header, events }: SessionStream): AsyncGenerator<string> {
  yield `${JSON.stringify({ type: 'header', ...header })}\n`;
  for await (const { at, event } of events()) yield `${JSON.stringify({ at, ...event })}\n`;
}

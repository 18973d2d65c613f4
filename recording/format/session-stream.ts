import type { TimedEvent } from './recording-event.ts';
import type { RecordingHeader } from './recording-header.ts';

/** A recording that is read once, from a file of any format. */
export interface SessionStream {
  readonly header: RecordingHeader;
  events(): AsyncIterable<TimedEvent>;
}

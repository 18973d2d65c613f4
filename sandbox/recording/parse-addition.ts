import { SandboxError } from '../../protocol/errors.ts';
import { coppiceEvent } from '../../recording/format/event-schema.ts';
import type { RecordingEvent } from '../../recording/format/recording-event.ts';

/** What a client may say: the rest is what the sandbox sees itself. */
const additions: ReadonlySet<RecordingEvent['type']> = new Set([
  'call',
  'result',
  'message',
  'note',
  'chapter',
]);

/** The event that a client adds. @throws invalid-argument */
export function parseAddition(text: string): RecordingEvent {
  try {
    const event = coppiceEvent(JSON.parse(text), 'an event');
    if (additions.has(event.type)) return event;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SandboxError('invalid-argument', `Cannot record this: ${why}`, { cause });
  }
  const message = 'Cannot record this: a client may add calls, results, messages, notes and chapters';
  throw new SandboxError('invalid-argument', message);
}

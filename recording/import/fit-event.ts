import { SandboxError } from '../../protocol/errors.ts';
import { coppiceEvent } from '../format/event-schema.ts';
import type { RecordingEvent } from '../format/recording-event.ts';
import { importLimits } from './limits.ts';

/** Those whose members are of our own making. */
const plain: ReadonlySet<string> = new Set(['output', 'input', 'resize', 'marker', 'end', 'unknown']);

/**
 * An event that a recording may have, in a line that has room for it: longer texts in it are cut, and say so. One that has too many of them, or that a
 * reader would refuse, is left out, and a note is in its place.
 */
export function fitEvent(event: RecordingEvent): RecordingEvent[] {
  // The writer takes long output apart.
  if (event.type === 'output' || event.type === 'input') return [event];
  const wrong = whatIsWrong(event);
  if (wrong !== undefined) return [{ type: 'note', text: `A ${event.type} was left out: ${wrong}` }];
  const units = JSON.stringify(event).length;
  if (units <= importLimits.eventUnits) return [event];
  if (event.type !== 'foreign') {
    const cut = cutTexts(event) as RecordingEvent;
    if (JSON.stringify(cut).length <= importLimits.eventUnits) return [cut];
  }
  return [{ type: 'note', text: `A ${event.type} of ${units} characters was left out: it is too long` }];
}

/** Why a reader of recordings would refuse it. */
function whatIsWrong(event: RecordingEvent): string | undefined {
  if (plain.has(event.type)) return undefined;
  try {
    coppiceEvent(event, event.type);
    return undefined;
  } catch (error) {
    const { where, expected } = SandboxError.from(error).details;
    return `it has something else than ${expected} as ${where}`;
  }
}

function cutTexts(value: unknown): unknown {
  if (typeof value === 'string') {
    const most = importLimits.textUnits;
    if (value.length <= most) return value;
    return `${value.slice(0, most).replace(/\p{Cs}$/u, '')}… (${value.length - most} more characters)`;
  }
  if (Array.isArray(value)) return value.map(cutTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cutTexts(each)]));
}

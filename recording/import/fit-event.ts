import type { RecordingEvent } from '../format/recording-event.ts';
import { importLimits } from './limits.ts';

/**
 * An event that a line of a recording has room for: longer texts in it are cut, and say so. One that has too many of them is left out, and a
 * note is in its place.
 */
export function fitEvent(event: RecordingEvent): RecordingEvent[] {
  // The writer takes long output apart.
  if (event.type === 'output' || event.type === 'input') return [event];
  const units = JSON.stringify(event).length;
  if (units <= importLimits.eventUnits) return [event];
  if (event.type !== 'foreign') {
    const cut = cutTexts(event) as RecordingEvent;
    if (JSON.stringify(cut).length <= importLimits.eventUnits) return [cut];
  }
  return [{ type: 'note', text: `A ${event.type} of ${units} characters was left out: it is too long` }];
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

import { calendarTime } from './calendar.ts';
import { formatDate } from './format-date.ts';
import { zoneOf } from './time-zone.ts';

/** bash's buffer, with the zero byte at its end: what does not fit is not printed at all. */
const maxBytes = 128;

/** A time as bash shows it (`printf '%(%F)T'`, prompts). `zone` is the value of `TZ`. */
export function formatTime(
  format: string,
  { seconds, zone }: { readonly seconds: number; readonly zone?: string | undefined },
): string {
  const formatted = formatDate(format, calendarTime({ seconds, nanoseconds: 0 }, zoneOf(zone)));
  return formatted.length < maxBytes ? formatted : '';
}

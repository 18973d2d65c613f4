const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const dayMs = 86_400_000;
/** bash's buffer, with the zero byte at its end: what does not fit is not printed at all. */
const maxBytes = 128;

/** C's `strftime` in the C locale. `zone` is a name of the time zone database, or `undefined`: UTC. */
export function formatTime(
  format: string,
  { seconds, zone }: { seconds: number; zone?: string | undefined },
): string {
  const offset = offsetOf(seconds, zone);
  // The local time is read as if it were UTC.
  const local = new Date((seconds + offset.seconds) * 1000);
  if (Number.isNaN(local.getTime())) return '';
  const formatted = format.replace(
    /%([-_0^#]*)(\d*)[EO]?(.)/gs,
    (matched, flags: string, width: string, letter: string) => {
      const text = conversion(letter, local, { seconds, offset });
      if (text === undefined) return matched;
      return adjusted(text, letter, { flags, width });
    },
  );
  return formatted.length < maxBytes ? formatted : '';
}

function adjusted(text: string, letter: string, { flags, width }: { flags: string; width: string }): string {
  let adjustedText = text;
  if (flags.includes('-')) adjustedText = text.replace(/^[0 ]+(?=.)/, '');
  else if (flags.includes('_')) adjustedText = text.replace(/^0+(?=.)/, (zeros) => ' '.repeat(zeros.length));
  else if (flags.includes('0')) adjustedText = text.replace(/^ +/, (spaces) => '0'.repeat(spaces.length));
  if (flags.includes('^')) adjustedText = adjustedText.toUpperCase();
  if (flags.includes('#'))
    adjustedText = letter === 'p' ? adjustedText.toLowerCase() : adjustedText.toUpperCase();
  const fill = /^[\d]+$/.test(text) && !flags.includes('_') ? '0' : ' ';
  return width === '' ? adjustedText : adjustedText.padStart(Math.min(Number(width), 1024), fill);
}

interface Offset {
  readonly seconds: number;
  readonly name: string;
}

function conversion(
  letter: string,
  local: Date,
  { seconds, offset }: { seconds: number; offset: Offset },
): string | undefined {
  const two = (number: number) => String(number).padStart(2, '0');
  const year = local.getUTCFullYear();
  const hour = local.getUTCHours();
  const day = local.getUTCDay();
  const again = (format: string) =>
    format.replace(/%(.)/g, (_, other: string) => conversion(other, local, { seconds, offset }) ?? '');
  switch (letter) {
    case 'a':
      return days[day]?.slice(0, 3);
    case 'A':
      return days[day];
    case 'b':
    case 'h':
      return months[local.getUTCMonth()]?.slice(0, 3);
    case 'B':
      return months[local.getUTCMonth()];
    case 'c':
      return again('%a %b %e %H:%M:%S %Y');
    case 'C':
      return two(Math.floor(year / 100));
    case 'd':
      return two(local.getUTCDate());
    case 'D':
    case 'x':
      return again('%m/%d/%y');
    case 'e':
      return String(local.getUTCDate()).padStart(2);
    case 'F':
      return again('%Y-%m-%d');
    case 'g':
      return two(isoWeek(local).year % 100);
    case 'G':
      return String(isoWeek(local).year);
    case 'H':
      return two(hour);
    case 'I':
      return two(hour % 12 || 12);
    case 'j':
      return String(dayOfYear(local) + 1).padStart(3, '0');
    case 'k':
      return String(hour).padStart(2);
    case 'l':
      return String(hour % 12 || 12).padStart(2);
    case 'm':
      return two(local.getUTCMonth() + 1);
    case 'M':
      return two(local.getUTCMinutes());
    case 'n':
      return '\n';
    case 'N':
      return '000000000';
    case 'p':
      return hour < 12 ? 'AM' : 'PM';
    case 'P':
      return hour < 12 ? 'am' : 'pm';
    case 'r':
      return again('%I:%M:%S %p');
    case 'R':
      return again('%H:%M');
    case 's':
      return String(seconds);
    case 'S':
      return two(local.getUTCSeconds());
    case 't':
      return '\t';
    case 'T':
    case 'X':
      return again('%H:%M:%S');
    case 'u':
      return String(day || 7);
    case 'U':
      return two(Math.floor((dayOfYear(local) + 7 - day) / 7));
    case 'V':
      return two(isoWeek(local).week);
    case 'w':
      return String(day);
    case 'W':
      return two(Math.floor((dayOfYear(local) + 7 - ((day + 6) % 7)) / 7));
    case 'y':
      return two(((year % 100) + 100) % 100);
    case 'Y':
      return String(year);
    case 'z': {
      const minutes = Math.abs(Math.round(offset.seconds / 60));
      return `${offset.seconds < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}${two(minutes % 60)}`;
    }
    case 'Z':
      return offset.name;
    case '%':
      return '%';
    default:
      return undefined;
  }
}

function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / dayMs);
}

/** ISO 8601: the week that has the year's first Thursday is its first. */
function isoWeek(date: Date): { year: number; week: number } {
  const thursday = new Date(date.getTime() + (3 - ((date.getUTCDay() + 6) % 7)) * dayMs);
  return { year: thursday.getUTCFullYear(), week: Math.floor(dayOfYear(thursday) / 7) + 1 };
}

function offsetOf(seconds: number, zone: string | undefined): Offset {
  if (!zone || zone === 'UTC' || zone === 'UTC0') return { seconds: 0, name: 'UTC' };
  const fixed = /^([A-Za-z]{3,})([-+]?)(\d{1,2})(?::(\d{2}))?$/.exec(zone);
  if (fixed) {
    const [, name = '', sign, hours, minutes = '0'] = fixed;
    const west = Number(hours) * 3600 + Number(minutes) * 60;
    return { seconds: sign === '-' ? west : -west, name };
  }
  try {
    const date = new Date(seconds * 1000);
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone.replace(/^:/, ''),
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      timeZoneName: 'short',
    }).formatToParts(date);
    const part = (type: string) => parts.find((found) => found.type === type)?.value ?? '';
    const [year, month, day, hour, minute, second] = ['year', 'month', 'day', 'hour', 'minute', 'second'].map(
      (type) => Number(part(type)),
    );
    const local = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
    return { seconds: Math.round(local / 1000 - seconds), name: part('timeZoneName') };
  } catch {
    return { seconds: 0, name: zone };
  }
}

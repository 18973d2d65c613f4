import { type CalendarTime, daysFromCivil } from './calendar.ts';

export const dayNames: readonly string[] = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
];
export const monthNames: readonly string[] = [
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

const longestField = 1024;

/** `strftime` with GNU's flags and widths, in the C locale. */
export function formatDate(format: string, time: CalendarTime): string {
  return format.replace(
    /%([-_0^#+]*)(\d*)(:{0,3})[EO]?([\s\S]?)/g,
    (whole, flags: string, width: string, colons: string, letter: string) => {
      const field = fieldOf(letter, { time, colons });
      if (field === undefined) return whole;
      const { text, pad } = field;
      let shown = text;
      if (flags.includes('^')) shown = shown.toUpperCase();
      if (flags.includes('#'))
        shown = letter === 'Z' || letter === 'p' ? shown.toLowerCase() : shown.toUpperCase();
      const padding = flags.replaceAll(/[\^#]/g, '').at(-1);
      if (padding === '-') return shown.replace(/^(-?)[0 ]+(?=\d)/, '$1');
      const least = Math.min(
        width === '' ? (padding === undefined ? 0 : shown.length) : Number(width),
        longestField,
      );
      const fill = padding === '_' ? ' ' : padding === '0' || padding === '+' ? '0' : pad;
      const bare = padding === undefined ? shown : shown.replace(/^[0 ]+(?=\d)/, '');
      const size = Math.max(least, padding === undefined ? 0 : shown.length);
      if (fill === '0' && /^[-+]\d/.test(bare)) return `${bare[0]}${bare.slice(1).padStart(size - 1, '0')}`;
      return bare.padStart(size, fill);
    },
  );
}

interface Field {
  readonly text: string;
  readonly pad: '0' | ' ';
}

function fieldOf(
  letter: string,
  { time, colons }: { time: CalendarTime; colons: string },
): Field | undefined {
  const { year, month, day, hour, minute, second, weekday, dayOfYear } = time;
  const number = (value: number, width: number): Field => ({ text: digits(value, width), pad: '0' });
  const spaced = (value: number): Field => ({ text: String(value).padStart(2, ' '), pad: ' ' });
  const text = (value: string): Field => ({ text: value, pad: ' ' });
  const composed = (format: string): Field => text(formatDate(format, time));
  const hour12 = hour % 12 === 0 ? 12 : hour % 12;
  const half = hour < 12 ? 'AM' : 'PM';
  switch (letter) {
    case 'a':
      return text((dayNames[weekday] ?? '').slice(0, 3));
    case 'A':
      return text(dayNames[weekday] ?? '');
    case 'b':
    case 'h':
      return text((monthNames[month - 1] ?? '').slice(0, 3));
    case 'B':
      return text(monthNames[month - 1] ?? '');
    case 'c':
      return composed('%a %b %e %H:%M:%S %Y');
    case 'C':
      return number(Math.floor(year / 100), 2);
    case 'd':
      return number(day, 2);
    case 'D':
    case 'x':
      return composed('%m/%d/%y');
    case 'e':
      return spaced(day);
    case 'F':
      return composed('%Y-%m-%d');
    case 'g':
      return number(((isoWeek(time).year % 100) + 100) % 100, 2);
    case 'G':
      return number(isoWeek(time).year, 4);
    case 'H':
      return number(hour, 2);
    case 'I':
      return number(hour12, 2);
    case 'j':
      return number(dayOfYear, 3);
    case 'k':
      return spaced(hour);
    case 'l':
      return spaced(hour12);
    case 'm':
      return number(month, 2);
    case 'M':
      return number(minute, 2);
    case 'n':
      return text('\n');
    case 'N':
      return number(time.nanoseconds, 9);
    case 'p':
      return text(half);
    case 'P':
      return text(half.toLowerCase());
    case 'q':
      return number(Math.ceil(month / 3), 1);
    case 'r':
      return composed('%I:%M:%S %p');
    case 'R':
      return composed('%H:%M');
    case 's':
      return number(time.epochSeconds, 1);
    case 'S':
      return number(second, 2);
    case 't':
      return text('\t');
    case 'T':
    case 'X':
      return composed('%H:%M:%S');
    case 'u':
      return number(weekday === 0 ? 7 : weekday, 1);
    case 'U':
      return number(Math.floor((dayOfYear + 6 - weekday) / 7), 2);
    case 'V':
      return number(isoWeek(time).week, 2);
    case 'w':
      return number(weekday, 1);
    case 'W':
      return number(Math.floor((dayOfYear + 6 - ((weekday + 6) % 7)) / 7), 2);
    case 'y':
      return number(((year % 100) + 100) % 100, 2);
    case 'Y':
      return number(year, 4);
    case 'z':
      return { text: offsetText(time.offset, colons.length), pad: '0' };
    case 'Z':
      return text(time.zone);
    case '+':
      return composed('%a %b %e %H:%M:%S %Z %Y');
    case '%':
      return text('%');
    default:
      return undefined;
  }
}

function digits(value: number, width: number): string {
  return value < 0 ? `-${String(-value).padStart(width - 1, '0')}` : String(value).padStart(width, '0');
}

function offsetText(offset: number, colons: number): string {
  const sign = offset < 0 ? '-' : '+';
  const absolute = Math.abs(offset);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const [hours, minutes, seconds] = [two(absolute / 3600), two((absolute % 3600) / 60), two(absolute % 60)];
  if (colons === 0) return `${sign}${hours}${minutes}`;
  if (colons === 1) return `${sign}${hours}:${minutes}`;
  if (colons === 2) return `${sign}${hours}:${minutes}:${seconds}`;
  return `${sign}${hours}${seconds !== '00' ? `:${minutes}:${seconds}` : minutes !== '00' ? `:${minutes}` : ''}`;
}

/** ISO 8601: the week that has the year's first Thursday is its first. */
function isoWeek({ year, weekday, dayOfYear }: CalendarTime): { year: number; week: number } {
  const thursday = dayOfYear + 3 - ((weekday + 6) % 7);
  if (thursday < 1) {
    const last = daysFromCivil(year, 1, 1) - daysFromCivil(year - 1, 1, 1);
    return { year: year - 1, week: Math.ceil((thursday + last) / 7) };
  }
  const days = daysFromCivil(year + 1, 1, 1) - daysFromCivil(year, 1, 1);
  if (thursday > days) return { year: year + 1, week: 1 };
  return { year, week: Math.ceil(thursday / 7) };
}

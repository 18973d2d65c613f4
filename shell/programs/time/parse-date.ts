import type { Timestamp } from '../../../tree/live/file-tree.ts';
import { calendarTime, epochSecondsOf } from '../../time/calendar.ts';
import { dayNames, monthNames } from '../../time/format-date.ts';
import { fixedZone, type TimeZone, utc, zoneOf } from '../../time/time-zone.ts';

interface DateContext {
  readonly now: Timestamp;
  readonly zone: TimeZone;
}

/**
 * A date as GNU's `date -d` reads it: ISO 8601, days and months by name, times, zones, `@` seconds, and what is relative to now
 * (`yesterday`, `3 days ago`, `next friday`). `undefined` of what is none.
 */
export function parseDate(given: string, { now, zone: ownZone }: DateContext): Timestamp | undefined {
  const [prefix = '', zoneName] = /^\s*TZ="([^"]*)"\s*/.exec(given) ?? [];
  const text = given.slice(prefix.length);
  const zone = zoneName === undefined ? ownZone : zoneOf(zoneName);
  const epoch = /^\s*@(-?\d+)(?:[.,](\d+))?\s*$/.exec(text);
  if (epoch) return { seconds: Number(epoch[1]), nanoseconds: fraction(epoch[2]) };
  const reading = new DateReading({ now, zone });
  let rest = text.trim().replaceAll(/\([^)]*\)/g, '');
  while (rest !== '') {
    const taken = reading.take(rest);
    if (taken === 0) return undefined;
    rest = rest.slice(taken).replace(/^[\s,]+/, '');
  }
  return reading.end();
}

const units: Readonly<Record<string, number>> = {
  sec: 1,
  second: 1,
  min: 60,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
  fortnight: 1_209_600,
};

const words: Readonly<Record<string, number>> = {
  last: -1,
  this: 0,
  next: 1,
  first: 1,
  third: 3,
  fourth: 4,
  fifth: 5,
  sixth: 6,
  seventh: 7,
  eighth: 8,
  ninth: 9,
  tenth: 10,
  eleventh: 11,
  twelfth: 12,
};

const zoneHours: Readonly<Record<string, number>> = {
  utc: 0,
  gmt: 0,
  z: 0,
  wet: 0,
  cet: 1,
  cest: 2,
  eet: 2,
  eest: 3,
  msk: 3,
  ist: 5.5,
  jst: 9,
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
};

/** What has been read so far. */
class DateReading {
  readonly #now: Timestamp;
  #zone: TimeZone;
  #date: { year: number; month: number; day: number } | undefined;
  #time: { hour: number; minute: number; second: number; nanoseconds: number } | undefined;
  #weekday: { day: number; weeks: number } | undefined;
  #months = 0;
  #days = 0;
  #seconds = 0;
  #isRelative = false;
  #isValid = true;

  constructor({ now, zone }: DateContext) {
    this.#now = now;
    this.#zone = zone;
  }

  /** Reads what the text begins with: how many characters; 0 where it is no date. */
  take(text: string): number {
    for (const form of forms) {
      const match = form.pattern.exec(text);
      if (match && form.apply.call(this, match) !== false) return match[0].length;
    }
    return 0;
  }

  end(): Timestamp | undefined {
    if (!this.#isValid) return undefined;
    const today = calendarTime(this.#now, this.#zone);
    const hasDay = this.#date !== undefined || this.#weekday !== undefined;
    const { year, month, day } = this.#date ?? today;
    const midnight = { hour: 0, minute: 0, second: 0, nanoseconds: 0 };
    const { hour, minute, second, nanoseconds } = this.#time ?? (hasDay ? midnight : today);
    let days = day + this.#days;
    // A day of the week says nothing where there is a date.
    if (this.#weekday && this.#date === undefined) {
      const { weekday } = calendarTime(
        {
          seconds: epochSecondsOf({ year, month, day, hour: 12, minute: 0, second: 0 }, utc),
          nanoseconds: 0,
        },
        utc,
      );
      const ahead = (this.#weekday.day - weekday + 7) % 7;
      const { weeks } = this.#weekday;
      days += ahead + 7 * (weeks > 0 && ahead !== 0 ? weeks - 1 : weeks);
    }
    const seconds = epochSecondsOf(
      { year, month: month + this.#months, day: days, hour, minute, second },
      this.#zone,
    );
    return { seconds: seconds + this.#seconds, nanoseconds };
  }

  setDate(year: number, month: number, day: number): boolean {
    if (this.#date !== undefined || month < 1 || month > 12 || day < 1 || day > 31) return false;
    const last = new Date(Date.UTC(2000 + (((year % 400) + 400) % 400), month, 0)).getUTCDate();
    if (day > last) this.#isValid = false;
    this.#date = { year, month, day };
    return true;
  }

  setTime(hour: number, minute: number, second: number, nanoseconds = 0): boolean {
    if (this.#time !== undefined || hour > 24 || minute > 59 || second > 60) return false;
    this.#time = { hour, minute, second, nanoseconds };
    return true;
  }

  setZone(offsetSeconds: number): void {
    this.#zone = fixedZone(offsetSeconds, '');
  }

  setWeekday(day: number, weeks: number): void {
    this.#weekday = { day, weeks };
  }

  /** Moves by `count` units. */
  move(count: number, unit: string): boolean {
    this.#isRelative = true;
    if (unit === 'year') this.#months += 12 * count;
    else if (unit === 'month') this.#months += count;
    else if (unit === 'day' || unit === 'week' || unit === 'fortnight')
      this.#days += (count * (units[unit] ?? 0)) / 86_400;
    else if (Object.hasOwn(units, unit)) this.#seconds += count * (units[unit] ?? 0);
    else return false;
    return true;
  }

  /** `ago` turns round all that is relative. */
  turnBack(): boolean {
    if (!this.#isRelative) return false;
    this.#months = -this.#months;
    this.#days = -this.#days;
    this.#seconds = -this.#seconds;
    return true;
  }

  year(): number {
    return calendarTime(this.#now, this.#zone).year;
  }

  hasDate(): boolean {
    return this.#date !== undefined;
  }

  setYear(year: number): void {
    if (this.#date) this.#date = { ...this.#date, year };
  }
}

interface DateForm {
  readonly pattern: RegExp;
  readonly apply: (this: DateReading, match: RegExpExecArray) => boolean | undefined;
}

const months = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';
const weekdays = 'sun|mon|tue|wed|thu|fri|sat';
const monthWord = `(${months})[a-z]*\\.?`;
const unitWord = '(sec|second|min|minute|hour|day|week|fortnight|month|year)s?\\b';

const forms: readonly DateForm[] = [
  {
    // 2024-01-02T03:04:05.6+01:00: the T needs what follows.
    pattern: /^(\d{4,})-(\d{1,2})-(\d{1,2})(?:[tT](?=\d))?/,
    apply([, year, month, day]) {
      return this.setDate(Number(year), Number(month), Number(day));
    },
  },
  {
    pattern: /^(\d{4,})\/(\d{1,2})\/(\d{1,2})/,
    apply([, year, month, day]) {
      return this.setDate(Number(year), Number(month), Number(day));
    },
  },
  {
    pattern: /^(\d{1,2})\/(\d{1,2})(?:\/(\d{2,4}))?(?![\d/])/,
    apply([, month, day, year]) {
      return this.setDate(year === undefined ? this.year() : fullYear(year), Number(month), Number(day));
    },
  },
  {
    pattern: /^(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?\s*(am|pm|a\.m\.|p\.m\.)?(?![a-y\d:])/i,
    apply([, hour, minute, second = '0', part, half]) {
      const hours = half === undefined ? Number(hour) : hourOf(Number(hour), half);
      return hours !== undefined && this.setTime(hours, Number(minute), Number(second), fraction(part));
    },
  },
  {
    pattern: /^(\d{1,2})\s*(am|pm|a\.m\.|p\.m\.)(?![a-z])/i,
    apply([, hour, half = '']) {
      const hours = hourOf(Number(hour), half);
      return hours !== undefined && this.setTime(hours, 0, 0);
    },
  },
  {
    pattern: new RegExp(`^([-+]?\\s*\\d+)\\s*${unitWord}`, 'i'),
    apply([, count = '', unit = '']) {
      return this.move(Number(count.replaceAll(/\s/g, '')), unit.toLowerCase());
    },
  },
  {
    pattern: /^(?:utc|gmt)?([-+])(\d{1,2}):?(\d{2})?(?!\d)/i,
    apply([, sign, hours, minutes = '0']) {
      this.setZone((sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60));
      return true;
    },
  },
  {
    pattern: new RegExp(`^(\\d{1,2})[-\\s]*${monthWord}(?:[-,\\s]*(\\d{4})(?![\\d:]))?`, 'i'),
    apply([, day, month = '', year]) {
      return this.setDate(year === undefined ? this.year() : Number(year), monthOf(month), Number(day));
    },
  },
  {
    pattern: new RegExp(
      `^${monthWord}[-\\s]*(\\d{1,2})(?:st|nd|rd|th)?(?![\\d:])(?:[-,\\s]+(\\d{4})(?![\\d:]))?`,
      'i',
    ),
    apply([, month = '', day, year]) {
      return this.setDate(year === undefined ? this.year() : Number(year), monthOf(month), Number(day));
    },
  },
  {
    pattern: /^(\d{4})(\d{2})(\d{2})(?:[tT](?=\d))?(?!\d{3})/,
    apply([, year, month, day]) {
      return this.setDate(Number(year), Number(month), Number(day));
    },
  },
  {
    pattern: /^(\d{2})(\d{2})(\d{2})?(?!\d)/,
    apply([whole, hour, minute, second = '0']) {
      // After a date without one, four digits are the year.
      if (whole.length === 4 && this.hasDate() && !this.setTime(Number(hour), Number(minute), 0)) {
        this.setYear(Number(whole));
        return true;
      }
      return this.setTime(Number(hour), Number(minute), Number(second)) || whole.length === 4;
    },
  },
  {
    pattern: new RegExp(`^(${Object.keys(words).join('|')})\\s+${unitWord}`, 'i'),
    apply([, word = '', unit = '']) {
      return this.move(words[word.toLowerCase()] ?? 0, unit.toLowerCase());
    },
  },
  {
    pattern: new RegExp(`^(?:(${Object.keys(words).join('|')})\\s+)?(${weekdays})[a-z]*\\.?`, 'i'),
    apply([, word, day = '']) {
      const index = dayNames.findIndex((name) => name.toLowerCase().startsWith(day.toLowerCase()));
      this.setWeekday(index, word === undefined ? 0 : (words[word.toLowerCase()] ?? 0));
      return true;
    },
  },
  {
    pattern: new RegExp(`^${unitWord}`, 'i'),
    apply([, unit = '']) {
      return this.move(1, unit.toLowerCase());
    },
  },
  {
    pattern: /^(now|today|yesterday|tomorrow|midnight|noon|ago)\b/i,
    apply([word]) {
      switch (word.toLowerCase()) {
        case 'yesterday':
          return this.move(-1, 'day');
        case 'tomorrow':
          return this.move(1, 'day');
        case 'midnight':
          return this.setTime(0, 0, 0);
        case 'noon':
          return this.setTime(12, 0, 0);
        case 'ago':
          return this.turnBack();
        default:
          return true;
      }
    },
  },
  {
    pattern: /^[a-z]{1,4}\b/i,
    apply([name]) {
      const hours = Object.hasOwn(zoneHours, name.toLowerCase()) ? zoneHours[name.toLowerCase()] : undefined;
      if (hours === undefined) return false;
      this.setZone(hours * 3600);
      return true;
    },
  },
];

function monthOf(word: string): number {
  return monthNames.findIndex((name) => name.toLowerCase().startsWith(word.toLowerCase())) + 1;
}

function hourOf(hour: number, half: string): number | undefined {
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half.toLowerCase().startsWith('p') ? 12 : 0);
}

function fullYear(text: string): number {
  const year = Number(text);
  if (text.length > 2) return year;
  return year < 69 ? 2000 + year : 1900 + year;
}

function fraction(digits: string | undefined): number {
  return digits === undefined ? 0 : Number(digits.slice(0, 9).padEnd(9, '0'));
}

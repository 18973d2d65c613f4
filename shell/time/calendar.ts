import type { Timestamp } from '../../tree/live/file-tree.ts';
import type { TimeZone } from './time-zone.ts';

/** What a calendar and a clock show. */
export interface CalendarTime {
  readonly year: number;
  /** 1 to 12 */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanoseconds: number;
  /** 0: Sunday. */
  readonly weekday: number;
  /** 1 to 366 */
  readonly dayOfYear: number;
  /** Seconds ahead of UTC. */
  readonly offset: number;
  readonly zone: string;
  readonly epochSeconds: number;
}

const daySeconds = 86_400;

/** Days from 1970-01-01 of a day in the Gregorian calendar; months and days out of range carry over. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const months = year * 12 + (month - 1);
  const civilYear = Math.floor(months / 12);
  const civilMonth = months - civilYear * 12 + 1;
  const shifted = civilMonth <= 2 ? civilYear - 1 : civilYear;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (civilMonth + (civilMonth > 2 ? -3 : 9)) + 2) / 5);
  return (
    era * 146_097 +
    yearOfEra * 365 +
    Math.floor(yearOfEra / 4) -
    Math.floor(yearOfEra / 100) +
    dayOfYear +
    day -
    1 -
    719_468
  );
}

function civilFromDays(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const index = Math.floor((5 * dayOfYear + 2) / 153);
  const month = index < 10 ? index + 3 : index - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * index + 2) / 5) + 1,
  };
}

/** What clocks of the zone show at a moment. */
export function calendarTime({ seconds, nanoseconds }: Timestamp, zone: TimeZone): CalendarTime {
  const offset = zone.offsetAt(seconds);
  const local = seconds + offset;
  const days = Math.floor(local / daySeconds);
  const ofDay = local - days * daySeconds;
  const { year, month, day } = civilFromDays(days);
  return {
    year,
    month,
    day,
    hour: Math.floor(ofDay / 3600),
    minute: Math.floor((ofDay % 3600) / 60),
    second: Math.floor(ofDay % 60),
    nanoseconds,
    weekday: (((days + 4) % 7) + 7) % 7,
    dayOfYear: days - daysFromCivil(year, 1, 1) + 1,
    offset,
    zone: zone.nameAt(seconds),
    epochSeconds: seconds,
  };
}

/** The moment at which the zone's clocks show it, in seconds since 1970. */
export function epochSecondsOf(
  time: { year: number; month: number; day: number; hour: number; minute: number; second: number },
  zone: TimeZone,
): number {
  const local =
    daysFromCivil(time.year, time.month, time.day) * daySeconds +
    time.hour * 3600 +
    time.minute * 60 +
    time.second;
  const guess = local - zone.offsetAt(local);
  return local - zone.offsetAt(guess);
}

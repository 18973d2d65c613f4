import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import type { Signature } from './history-commit.ts';
import { zoneText } from './history-commit.ts';

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (value: number) => String(value).padStart(2, '0');

/** A date as `--date` asks for it. @throws GitCommandError for a format that is none */
export function dateText(
  { seconds, zoneMinutes }: Pick<Signature, 'seconds' | 'zoneMinutes'>,
  mode = 'default',
): string {
  const isLocal = mode === 'local' || mode.endsWith('-local');
  const zone = isLocal ? 0 : zoneMinutes;
  const date = dateAt(seconds, zone);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
  const ymd = `${year}-${two(month + 1)}-${two(day)}`;
  switch (mode.replace(/-local$/, '')) {
    case 'default':
    case 'normal':
    case 'local':
      return `${days[date.getUTCDay()]} ${months[month]} ${day} ${time} ${year}${isLocal ? '' : ` ${zoneText(zone)}`}`;
    case 'iso':
    case 'iso8601':
      return `${ymd} ${time} ${zoneText(zone)}`;
    case 'iso-strict':
    case 'iso8601-strict':
      return `${ymd}T${time}${zone === 0 ? '+00:00' : zoneText(zone).replace(/(..)$/, ':$1')}`;
    case 'short':
      return ymd;
    case 'rfc':
    case 'rfc2822':
      return `${days[date.getUTCDay()]}, ${day} ${months[month]} ${year} ${time} ${zoneText(zone)}`;
    case 'unix':
      return String(seconds);
    case 'raw':
      return `${seconds} ${zoneText(zone)}`;
    case 'relative':
      return relativeDate(seconds);
    default: {
      const [, format] = /^format(?:-local)?:([\s\S]*)$/.exec(mode) ?? [];
      if (format !== undefined) return strftime(format, { date, seconds, zone });
      throw new GitCommandError(`fatal: unknown date format ${mode}`);
    }
  }
}

/** As git, which shows the epoch for a date that it cannot tell. */
function dateAt(seconds: number, zoneMinutes: number): Date {
  const date = new Date((seconds + zoneMinutes * 60) * 1_000);
  return Number.isNaN(date.getTime()) ? new Date(0) : date;
}

/** `3 days ago` (git's `show_date_relative`). */
function relativeDate(seconds: number): string {
  const nowSeconds = Math.floor(Date.now() / 1_000);
  if (nowSeconds < seconds) return 'in the future';
  const ago = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'} ago`;
  let age = nowSeconds - seconds;
  if (age < 90) return ago(age, 'second');
  age = Math.floor((age + 30) / 60);
  if (age < 90) return ago(age, 'minute');
  age = Math.floor((age + 30) / 60);
  if (age < 36) return ago(age, 'hour');
  age = Math.floor((age + 12) / 24);
  if (age < 14) return ago(age, 'day');
  if (age < 70) return ago(Math.floor((age + 3) / 7), 'week');
  if (age < 365) return ago(Math.floor((age + 15) / 30), 'month');
  if (age < 1_825) {
    const total = Math.floor((age * 12 * 2 + 365) / (365 * 2));
    const [years, rest] = [Math.floor(total / 12), total % 12];
    const text = `${years} year${years === 1 ? '' : 's'}`;
    return rest === 0 ? `${text} ago` : `${text}, ${rest} month${rest === 1 ? '' : 's'} ago`;
  }
  return ago(Math.floor((age + 183) / 365), 'year');
}

function strftime(
  format: string,
  { date, seconds, zone }: { date: Date; seconds: number; zone: number },
): string {
  const hour = date.getUTCHours();
  const parts: Readonly<Record<string, string>> = {
    Y: String(date.getUTCFullYear()),
    y: two(date.getUTCFullYear() % 100),
    m: two(date.getUTCMonth() + 1),
    d: two(date.getUTCDate()),
    e: String(date.getUTCDate()).padStart(2),
    H: two(hour),
    I: two(hour % 12 || 12),
    M: two(date.getUTCMinutes()),
    S: two(date.getUTCSeconds()),
    p: hour < 12 ? 'AM' : 'PM',
    a: days[date.getUTCDay()] ?? '',
    b: months[date.getUTCMonth()] ?? '',
    h: months[date.getUTCMonth()] ?? '',
    F: date.toISOString().slice(0, 10),
    T: date.toISOString().slice(11, 19),
    R: date.toISOString().slice(11, 16),
    s: String(seconds),
    z: zoneText(zone),
    n: '\n',
    t: '\t',
    '%': '%',
  };
  return format.replaceAll(/%(.)/g, (_, key: string) => {
    const part = parts[key];
    if (part === undefined)
      throw new NotInShellError(`fatal: the git of a shell knows no %${key} in a date`, 128);
    return part;
  });
}

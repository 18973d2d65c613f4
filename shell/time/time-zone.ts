/** A time zone: what its clocks show at a moment. */
export interface TimeZone {
  /** Seconds that its clocks are ahead of UTC. */
  offsetAt(seconds: number): number;
  /** `UTC`, `CET` … */
  nameAt(seconds: number): string;
}

export const utc: TimeZone = { offsetAt: () => 0, nameAt: () => 'UTC' };

/** A zone without summer time. */
export function fixedZone(offsetSeconds: number, name: string): TimeZone {
  return { offsetAt: () => offsetSeconds, nameAt: () => name };
}

const zones = new Map<string, TimeZone>();
const mostZones = 64;

/** The zone that `TZ` names; UTC where it names none that there is. */
export function zoneOf(name: string | undefined): TimeZone {
  const wanted = (name ?? '').replace(/^:/, '');
  if (wanted === '' || /^(UTC|GMT|Z)0?$/i.test(wanted)) return wanted.startsWith('GMT') ? gmt : utc;
  const known = zones.get(wanted);
  if (known) return known;
  const zone =
    posixZone(wanted) ?? namedZone(wanted) ?? fixedZone(0, /^[A-Za-z]{3,}/.exec(wanted)?.[0] ?? 'UTC');
  if (zones.size < mostZones) zones.set(wanted, zone);
  return zone;
}

const gmt = fixedZone(0, 'GMT');

/** `JST-9`, `<+03>-3`: POSIX counts westward. Summer time by rules of its own is not known. */
function posixZone(text: string): TimeZone | undefined {
  const [, quoted, plain, sign, hours, minutes = '0'] =
    /^(?:<([^>]+)>|([A-Za-z]{3,}))([-+]?)(\d{1,2})(?::(\d{2}))?$/.exec(text) ?? [];
  if (hours === undefined) return undefined;
  const seconds = Number(hours) * 3600 + Number(minutes) * 60;
  return fixedZone(sign === '-' ? seconds : -seconds, quoted ?? plain ?? 'UTC');
}

function namedZone(name: string): TimeZone | undefined {
  let parts: Intl.DateTimeFormat;
  let names: Intl.DateTimeFormat;
  try {
    parts = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      era: 'short',
    });
    names = new Intl.DateTimeFormat('en-GB', { timeZone: name, timeZoneName: 'short' });
  } catch {
    return undefined;
  }
  const offsetAt = (seconds: number) => {
    const found = new Map(
      parts.formatToParts(clampMs(seconds * 1000)).map(({ type, value }) => [type, value]),
    );
    const field = (type: Intl.DateTimeFormatPartTypes) => Number(found.get(type) ?? 0);
    const year = found.get('era') === 'BC' ? 1 - field('year') : field('year');
    const shown = Date.UTC(
      year,
      field('month') - 1,
      field('day'),
      field('hour'),
      field('minute'),
      field('second'),
    );
    return Math.round(shown / 1000 - Math.floor(seconds));
  };
  return {
    offsetAt,
    nameAt: (seconds) => {
      const short = names
        .formatToParts(clampMs(seconds * 1000))
        .find(({ type }) => type === 'timeZoneName')?.value;
      if (short !== undefined && /^[A-Z]{2,5}$/.test(short)) return short;
      return american(name, seconds) ?? numericName(offsetAt(seconds));
    },
  };
}

/** Names that only American English has: `EST`, `PDT`. */
function american(zone: string, seconds: number): string | undefined {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'short' });
  const short = format
    .formatToParts(clampMs(seconds * 1000))
    .find(({ type }) => type === 'timeZoneName')?.value;
  return short !== undefined && /^[A-Z]{2,5}$/.test(short) ? short : undefined;
}

function numericName(offset: number): string {
  const minutes = Math.abs(Math.trunc(offset / 60));
  const hours = String(Math.trunc(minutes / 60)).padStart(2, '0');
  const rest = minutes % 60 === 0 ? '' : String(minutes % 60).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${hours}${rest}`;
}

function clampMs(milliseconds: number): number {
  return Math.max(-8.64e15, Math.min(8.64e15, milliseconds));
}

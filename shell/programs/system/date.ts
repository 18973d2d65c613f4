import type { Timestamp } from '../../../tree/live/file-tree.ts';
import { decodeText } from '../../text.ts';
import { calendarTime } from '../../time/calendar.ts';
import { formatDate } from '../../time/format-date.ts';
import { utc } from '../../time/time-zone.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { withInput } from '../command-line/with-input.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { pathOf } from '../paths/operands.ts';
import type { Program } from '../program.ts';
import { readInput } from '../streams/input.ts';
import { now, zoneOfCall } from '../time/now.ts';
import { parseDate } from '../time/parse-date.ts';

const iso: Readonly<Record<string, string>> = {
  date: '%Y-%m-%d',
  hours: '%Y-%m-%dT%H%:z',
  minutes: '%Y-%m-%dT%H:%M%:z',
  seconds: '%Y-%m-%dT%H:%M:%S%:z',
  ns: '%Y-%m-%dT%H:%M:%S,%N%:z',
};

const rfc3339: Readonly<Record<string, string>> = {
  date: '%Y-%m-%d',
  seconds: '%Y-%m-%d %H:%M:%S%:z',
  ns: '%Y-%m-%d %H:%M:%S.%N%:z',
};

export const date: Program = defineProgram({
  usage: '[OPTION]... [+FORMAT]',
  summary: 'Display date and time in the given FORMAT.',
  options: {
    date: "-d, --date=STRING  display time described by STRING, not 'now'",
    file: '-f, --file=DATEFILE  like --date; once for each line of DATEFILE',
    iso: '-I, --iso-8601[=FMT]  output date/time in ISO 8601 format: date, hours, minutes, seconds, or ns',
    email: '-R, --rfc-email  output date and time in RFC 5322 format',
    rfc3339: '--rfc-3339=FMT  output date/time in RFC 3339 format: date, seconds, or ns',
    reference: '-r, --reference=FILE  display the last modification time of FILE',
    set: '-s, --set=STRING  set time described by STRING (not permitted here)',
    utc: '-u, --utc, --universal  print Coordinated Universal Time (UTC)',
    resolution: '--resolution  output the available resolution of timestamps',
  },
  async run(invocation) {
    const { call, options, operands, out, warn } = invocation;
    const zone = options.has('utc') ? utc : zoneOfCall(call);
    const given = operands[0];
    if (operands.length > 1) throw new UsageError(`extra operand ${quoteName(operands[1] ?? '')}`);
    if (given !== undefined && !given.startsWith('+')) {
      throw new ProgramError(`invalid date ${quoteName(given)}`);
    }
    if (options.has('resolution')) {
      out.add('0.001000000\n');
      return 0;
    }
    const format =
      given?.slice(1) ??
      formatOf(iso, options.has('iso') ? (options.value('iso') ?? 'date') : undefined, '--iso-8601') ??
      formatOf(rfc3339, options.value('rfc3339'), '--rfc-3339') ??
      (options.has('email') ? '%a, %d %b %Y %H:%M:%S %z' : '%a %b %e %H:%M:%S %Z %Y');
    const print = (time: Timestamp) => out.add(`${formatDate(format, calendarTime(time, zone))}\n`);
    const printParsed = async (text: string) => {
      const time = parseDate(text, { now: now(), zone });
      if (time) print(time);
      else await warn(`invalid date ${quoteName(text)}`);
      return time !== undefined;
    };
    const file = options.value('file');
    if (file !== undefined) {
      let status = 0;
      const isRead = await withInput(invocation, { name: file }, async () => {
        const lines = decodeText(await readInput(call, file)).split('\n');
        if (lines.at(-1) === '') lines.pop();
        for (const line of lines) if (!(await printParsed(line))) status = 1;
      });
      return isRead ? status : 1;
    }
    const reference = options.value('reference');
    if (reference !== undefined) {
      const isThere = await withInput(invocation, { name: reference }, async () => {
        const { mtimeSeconds, mtimeNanoseconds } = call.files.stat(pathOf(call, reference));
        print({ seconds: mtimeSeconds, nanoseconds: mtimeNanoseconds });
      });
      return isThere ? 0 : 1;
    }
    const set = options.value('set');
    if (set !== undefined) {
      if (await printParsed(set)) await warn('cannot set date: Operation not permitted');
      return 1;
    }
    const text = options.value('date');
    if (text !== undefined) return (await printParsed(text)) ? 0 : 1;
    print(now());
    return 0;
  },
});

function formatOf(
  formats: Readonly<Record<string, string>>,
  wanted: string | undefined,
  option: string,
): string | undefined {
  if (wanted === undefined) return undefined;
  const name = Object.keys(formats).find((key) => key.startsWith(wanted) && wanted !== '');
  if (name === undefined) {
    const valid = Object.keys(formats).map((key) => `\n  - '${key}'`);
    throw new UsageError(
      `invalid argument ${quoteName(wanted)} for '${option}'\nValid arguments are:${valid.join('')}`,
    );
  }
  return formats[name];
}

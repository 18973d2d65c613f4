import type { Timestamp } from '../../../tree/live/file-tree.ts';
import { calendarTime, epochSecondsOf } from '../../time/calendar.ts';
import type { TimeZone } from '../../time/time-zone.ts';
import { attempt, defineProgram } from '../command-line/define-program.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { pathOf, statIfThere } from '../paths/operands.ts';
import type { Program } from '../program.ts';
import { now, zoneOfCall } from '../time/now.ts';
import { parseDate } from '../time/parse-date.ts';

export const touch: Program = defineProgram({
  usage: '[OPTION]... FILE...',
  summary: 'Update the access and modification times of each FILE to the current time.',
  options: {
    access: '-a  change only the access time',
    noCreate: '-c, --no-create  do not create any files',
    date: '-d, --date=STRING  parse STRING and use it instead of current time',
    ignored: '-f  (ignored)',
    noDereference: '-h, --no-dereference  affect each symbolic link instead of any referenced file',
    modification: '-m  change only the modification time',
    reference: "-r, --reference=FILE  use this file's times instead of current time",
    stamp: '-t STAMP  use [[CC]YY]MMDDhhmm[.ss] instead of current time',
    time: '--time=WORD  change the specified time: access, atime, use, modify, mtime',
  },
  async run(invocation) {
    const { call, options, operands } = invocation;
    const zone = zoneOfCall(call);
    if (operands.length === 0) throw new UsageError('missing file operand');
    let atime: Timestamp | 'now' = 'now';
    let mtime: Timestamp | 'now' = 'now';
    const reference = options.value('reference');
    if (reference !== undefined) {
      let isThere = false;
      await attempt(invocation, `failed to get attributes of ${quoteName(reference)}`, () => {
        const inode = call.files.stat(pathOf(call, reference));
        atime = { seconds: inode.atimeSeconds, nanoseconds: inode.atimeNanoseconds };
        mtime = { seconds: inode.mtimeSeconds, nanoseconds: inode.mtimeNanoseconds };
        isThere = true;
      });
      if (!isThere) return 1;
    }
    const text = options.value('date');
    if (text !== undefined) {
      const base = typeof mtime === 'string' ? now() : mtime;
      const time = parseDate(text, { now: base, zone });
      if (time === undefined) throw new ProgramError(`invalid date format ${quoteName(text)}`);
      atime = mtime = time;
    }
    const stamp = options.value('stamp');
    if (stamp !== undefined) {
      const time = parseStamp(stamp, zone);
      if (time === undefined) throw new ProgramError(`invalid date format ${quoteName(stamp)}`);
      atime = mtime = time;
    }
    const word = options.value('time');
    const isAccess = options.has('access') || ['access', 'atime', 'use'].includes(word ?? '');
    const isModification = options.has('modification') || ['modify', 'mtime'].includes(word ?? '');
    const times = {
      ...((isAccess || !isModification) && { atime }),
      ...((isModification || !isAccess) && { mtime }),
      follow: !options.has('noDereference'),
    };
    let status = 0;
    for (const name of operands) {
      const isDone = await attempt(invocation, `cannot touch ${quoteName(name)}`, () => {
        const path = pathOf(call, name);
        if (!statIfThere(call, name, { follow: times.follow })) {
          if (options.has('noCreate')) return;
          call.files.open(path, { write: true, create: true }, call).release();
        }
        call.files.utimes(path, times);
      });
      if (!isDone) status = 1;
    }
    return status;
  },
});

/** `[[CC]YY]MMDDhhmm[.ss]` */
function parseStamp(stamp: string, zone: TimeZone): Timestamp | undefined {
  const [, years = '', month, day, hour, minute, second = '0'] =
    /^(\d{2}|\d{4})?(\d{2})(\d{2})(\d{2})(\d{2})(?:\.(\d{2}))?$/.exec(stamp) ?? [];
  if (month === undefined) return undefined;
  const short = Number(years);
  const year =
    years === ''
      ? calendarTime(now(), zone).year
      : years.length === 4
        ? short
        : short < 69
          ? 2000 + short
          : 1900 + short;
  const time = {
    year,
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
  };
  const isInRange =
    time.month >= 1 &&
    time.month <= 12 &&
    time.day >= 1 &&
    time.day <= 31 &&
    time.hour < 24 &&
    time.minute < 60;
  return isInRange && time.second <= 60 ? { seconds: epochSecondsOf(time, zone), nanoseconds: 0 } : undefined;
}

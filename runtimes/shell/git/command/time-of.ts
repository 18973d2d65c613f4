import type { ProgramCall } from '../../../../shell/programs/program.ts';
import { now, zoneOfCall } from '../../../../shell/programs/time/now.ts';
import { parseDate } from '../../../../shell/programs/time/parse-date.ts';
import { GitCommandError } from '../git-command-error.ts';
import type { Signature } from './history-commit.ts';

/** Now, or what a variable says. @throws GitCommandError */
export function timeOf(
  { call }: { readonly call: ProgramCall },
  variable: string,
): Pick<Signature, 'seconds' | 'zoneMinutes'> {
  const text = call.environment.get(variable);
  const nowMs = Date.now();
  if (!text)
    return { seconds: Math.floor(nowMs / 1_000), zoneMinutes: -new Date(nowMs).getTimezoneOffset() || 0 };
  return parseTime(call, text);
}

/** @throws GitCommandError */
export function parseTime(call: ProgramCall, text: string): Pick<Signature, 'seconds' | 'zoneMinutes'> {
  const [, sign = '+', hours = 0, minutes = 0] = /([+-])(\d\d):?(\d\d)$/.exec(text) ?? [];
  const zoneMinutes = (sign === '+' ? 1 : -1) * (Number(hours) * 60 + Number(minutes)) || 0;
  const [, seconds] = /^@?(\d{5,}) [+-]\d{4}$/.exec(text) ?? [];
  const parsed =
    seconds === undefined
      ? parseDate(text, { now: now(), zone: zoneOfCall(call) })?.seconds
      : Number(seconds);
  if (parsed === undefined) throw new GitCommandError(`fatal: invalid date format: ${text}`);
  return { seconds: parsed, zoneMinutes };
}

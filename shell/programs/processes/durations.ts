import type { ShellText } from '../../text.ts';
import { UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';

const unitSeconds: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 };

/** `1.5m` in milliseconds. @throws UsageError */
export function durationMs(text: ShellText): number {
  const [, digits, unit = ''] =
    /^\+?((?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|inf(?:inity)?)([smhd]?)$/i.exec(text) ?? [];
  const factor = unitSeconds[unit];
  if (digits === undefined || factor === undefined)
    throw new UsageError(`invalid time interval ${quoteName(text)}`);
  return digits.toLowerCase().startsWith('inf') ? Number.POSITIVE_INFINITY : Number(digits) * factor * 1000;
}
